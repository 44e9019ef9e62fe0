% COUNTERPOINT_ANSWER  answer questions for dynamic terms that come on standard input.
%   counterpoint_answer(@terms) serves [M, Phi, J, Q] = terms(t, q, v, u) until the input ends; where the other side
%   asks for them, the further terms c, Phi_t follow Q.
%   Numbers are little-endian doubles; the protocol is in the docs, "Function evaluation".
function counterpoint_answer(terms)
  header = fread(stdin, 4, 'double', 0, 'ieee-le');
  if numel(header) < 4
    return;
  end
  names = names_of(header(1));
  check_count(terms, names);
  fwrite(stdout, header, 'double', 0, 'ieee-le');
  fflush(stdout);
  n = header(2);
  m = header(3);
  count = numel(names);
  needed = [n * n, m, m * n, n, m * ones(1, count - 4)];
  size_of_question = 1 + 2 * n + header(4);
  made = cell(1, 6);
  while true
    question = fread(stdin, size_of_question, 'double', 0, 'ieee-le');
    if numel(question) < size_of_question
      return;
    end
    q = question(2:n + 1);
    v = question(n + 2:2 * n + 1);
    [made{1:count}] = terms(question(1), q, v, question(2 * n + 2:end));
    sizes = cellfun('numel', made)(1:count);
    if ~isequal(size(made{1}), [n, n]) || ~isequal(sizes, needed)
      error('terms: M is %s; %s have %s numbers; expected %d x %d and %s', mat2str(size(made{1})), ...
            strjoin(names, ', '), mat2str(sizes), n, n, mat2str(needed));
    end
    answer = [reshape(made{1}.', [], 1); made{2}(:); reshape(made{3}.', [], 1); made{4}(:); made{5}(:); made{6}(:)];
    fwrite(stdout, answer, 'double', 0, 'ieee-le');
    fflush(stdout);
  end
end

function names = names_of(version)
  further = {{}, {'c'}, {'Phi_t'}, {'c', 'Phi_t'}};
  if ~ismember(version, 1:4)
    error('version %g of the protocol is not known here; known are 1 to 4', version);
  end
  names = [{'M', 'Phi', 'J', 'Q'}, further{version}];
end

% Of functions with varargout the count is negative: what they return shows when they are called.
function check_count(terms, names)
  given = nargout(terms);
  if given >= 0 && given < numel(names)
    error('terms returned %d values; expected %d: %s', given, numel(names), strjoin(names, ', '));
  end
end
