"""CSV tables: each complaint names the row and the value."""

import pytest

import counterpoint as cp
from counterpoint.errors import SetupError

SOURCE = """\
until = 2.0
[subsystems.road]
type = "table"
file = "road.csv"
step = 0.1
"""


def test_columns_of_a_table_are_chosen_by_the_outputs(write):
    write("time,left,right\n0,1,2\n1,3,4\n", "road.csv")
    system = cp.Scenario.read(write(SOURCE + 'outputs = ["right"]\n')).build()
    assert dict(system.subsystems["road"].subsystem.outputs) == {"right": 1}


def test_a_table_may_be_written_in_the_scenario(write):
    text = SOURCE.replace('file = "road.csv"', 'times = [0.0, 1.0]\nvalues = [2.0, 3.0]\noutputs = ["height"]')
    system = cp.Scenario.read(write(text)).build()
    assert list(system.subsystems["road"].subsystem.outputs) == ["height"]


def test_a_table_needs_one_origin(write, problems):
    (found,) = problems(write(SOURCE + "times = [0.0]\n"))
    assert found.startswith("subsystems.road: has both a file and times or values")
    (found,) = problems(write(SOURCE.replace('file = "road.csv"\n', "")))
    assert found.startswith("subsystems.road: needs either a file, or times and values")


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("time,z\n0,1\n1,x\n", 'row 3: "x": not a number'),
        ("time,z\n0,1\n\n1,\n", 'row 4: "": not a number'),
        ("time,z\n0,1\n2,1\n1,3\n", "row 4: time 1.0 s is before 2.0 s of row 3"),
        ("time,z\n0,1\nnan,1\n", 'row 3: "nan": must be finite'),
        ("time,z\n0,1\n1,inf\n", 'row 3: "inf": must be finite'),
        ("time,z\n0,0\n0,5,1,2\n", 'row 3: "0,5,1,2": 4 cells where row 1 names 2 columns; a decimal comma?'),
        ("time;z\n0;1\n", 'row 1: "time;z": one column only; set separator = ";"'),
        ("0,1\n1,2\n", 'row 1: "0,1": expected column names'),
        ("time,z\n", "has no rows below the names"),
        ("", "is empty"),
    ],
)
def test_a_bad_table_names_row_and_value(write, problems, table, expected):
    write(table, "road.csv")
    (found,) = problems(write(SOURCE))
    assert found.startswith(f"subsystems.road.file: road.csv: {expected}")


def test_a_decimal_comma_in_a_semicolon_file_gets_a_hint(write, problems):
    write("time;z\n0;1\n0,5;1,25\n", "road.csv")
    (found,) = problems(write(SOURCE + 'separator = ";"\n'))
    assert 'row 3: "0,5": not a number; for a decimal comma set decimal = ","' in found


def test_a_spreadsheet_with_decimal_commas_is_read_when_told(write):
    from counterpoint._files.csv_files import read_csv

    path = write("time;z\n0;1\n0,5;1,25\n", "road.csv")
    data = read_csv(path, separator=";", decimal=",")
    assert data.times.tolist() == [0.0, 0.5]
    assert data.values.tolist() == [[1.0], [1.25]]


def test_a_byte_order_mark_in_a_table_is_no_mistake(tmp_path):
    from counterpoint._files.csv_files import read_csv

    path = tmp_path / "road.csv"
    path.write_bytes(b"\xef\xbb\xbftime,z\r\n0,1\r\n1,2\r\n")
    assert read_csv(path).names == ["z"]
    path.write_bytes("time,z\n0,1\n".encode("utf-16"))
    with pytest.raises(SetupError, match="UTF-16"):
        read_csv(path)


def test_several_bad_rows_are_listed_but_not_thousands(write, problems):
    write("time,z\n" + "x,y\n" * 10_000, "road.csv")
    found = problems(write(SOURCE))
    assert len(found) == 6
    assert "row 2" in found[0]
    assert "perhaps more" in found[-1]


def test_a_missing_column_gets_a_suggestion(write, problems):
    write("time,height\n0,1\n", "road.csv")
    (found,) = problems(write(SOURCE + 'outputs = ["heigth"]\n'))
    assert 'no column "heigth"; did you mean "height"?' in found
