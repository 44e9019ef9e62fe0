#include "link/ports.hpp"

#include <cmath>
#include <optional>
#include <set>

#include "link/frames.hpp"
#include "numbers.hpp"

namespace counterpoint::link {

namespace {

constexpr int max_values = 1 << 20;  ///< of all inputs, or of all outputs: a frame has to hold them

std::vector<std::string_view> split(std::string_view line, char at) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t end = line.find(at);
    words.push_back(line.substr(0, end));
    if (end == std::string_view::npos) return words;
    line.remove_prefix(end + 1);
  }
}

class PortsParser {
 public:
  explicit PortsParser(Ports& ports) : ports_(ports) {}

  void line(std::string_view text) {
    text_ = text;
    words_ = split(text, '\t');
    const std::string_view key = words_[0];
    if (key == "name") ports_.name = word(1);
    if (key == "input") ports_.inputs.push_back(port("input"));
    if (key == "output") ports_.outputs.push_back(port("output"));
    if (key == "feedthrough") ports_.feedthrough.emplace_back(word(1), word(2));
    if (key == "initial feedthrough") ports_.initial_feedthrough.emplace_back(word(1), word(2));
    if (key == "step") ports_.step = positive(1);
    if (key == "heartbeat") ports_.heartbeat = positive(1);
    if (key == "silence") ports_.silence = positive(1);
    if (key == "approximation") approximation();
    if (key == "input approximation") ports_.input_approximations.emplace_back(word(2), word(1));
    if (key == "ask") ports_.asks = shares();
    if (key == "can") ability(word(1));
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw ProtocolFailure("in the description of its ports the line \"" + std::string(text_.substr(0, 200)) +
                          "\": " + why);
  }

  std::string word(std::size_t k) const {
    if (k >= words_.size() || words_[k].empty()) refuse("word " + std::to_string(k + 1) + " is missing");
    for (const char c : words_[k]) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) refuse("control characters are not allowed");
    }
    return std::string(words_[k]);
  }

  double read_number(std::size_t k) const {
    const std::string text = word(k);
    const std::optional<double> value = number_from(text);
    if (!value || !std::isfinite(*value)) refuse("\"" + text + "\" is not a finite number");
    return *value;
  }

  double positive(std::size_t k) const {
    const double value = read_number(k);
    if (!(value > 0.0)) refuse("expected a positive number of seconds");
    return value;
  }

  std::vector<double> shares() const {
    std::vector<double> made;
    for (std::size_t k = 1; k < words_.size(); ++k) {
      made.push_back(read_number(k));
      if (made.back() < 0.0 || made.back() > 1.0) refuse("expected shares of a step between 0 and 1");
    }
    if (made.size() > 64) refuse("at most 64 shares of a step are sent");
    return made;
  }

  LinkPort port(const char* kind) {
    LinkPort made;
    made.name = word(1);
    const double width = words_.size() > 2 ? read_number(2) : 1.0;
    if (width < 1.0 || width > max_values || width != std::floor(width))
      refuse("expected a whole number from 1 as the width");
    made.width = static_cast<int>(width);
    if (words_.size() > 3 && !words_[3].empty()) made.unit = word(3);
    for (std::size_t k = 4; k < words_.size(); ++k) made.start.push_back(read_number(k));
    if (!made.start.empty() && made.start.size() != static_cast<std::size_t>(made.width))
      refuse("expected as many start values as its width");
    if (!names_.insert(kind + std::string("\t") + made.name).second) refuse("the name is used twice");
    (*kind == 'i' ? inputs_ : outputs_) += made.width;
    if (inputs_ > max_values || outputs_ > max_values)
      refuse("too many values; at most " + std::to_string(max_values) + " are allowed");
    return made;
  }

  void approximation() {
    if (words_.size() < 3) {
      ports_.approximation = word(1);
    } else {
      ports_.output_approximations.emplace_back(word(2), word(1));
    }
  }

  void ability(const std::string& what) {
    if (what == "save") ports_.can_save = true;
    if (what == "repeat") ports_.repeats_unasked = true;
    if (what == "derivatives") ports_.derivatives = true;
    if (what == "request") ports_.requests = true;
    if (what == "begin") ports_.begins = true;
    if (what == "pace") ports_.paces = true;
    if (what == "stop early") ports_.stops_early = true;
    if (what == "jump") ports_.jumps = true;
  }

  Ports& ports_;
  std::string_view text_;
  std::vector<std::string_view> words_;
  std::set<std::string> names_;
  long inputs_ = 0;
  long outputs_ = 0;
};

int width_of(const std::vector<LinkPort>& ports) {
  int width = 0;
  for (const LinkPort& port : ports) width += port.width;
  return width;
}

void write_ports(Text& text, const char* kind, const std::vector<LinkPort>& ports) {
  for (const LinkPort& port : ports) {
    text << kind << '\t' << port.name << '\t' << port.width << '\t' << port.unit;
    for (const double value : port.start) text << '\t' << value;
    text << '\n';
  }
}

}  // namespace

int Ports::input_width() const { return width_of(inputs); }
int Ports::output_width() const { return width_of(outputs); }

std::string Ports::to_text() const {
  Text text(17);
  if (!name.empty()) text << "name\t" << name << '\n';
  write_ports(text, "input", inputs);
  write_ports(text, "output", outputs);
  for (const auto& [output, input] : feedthrough) text << "feedthrough\t" << output << '\t' << input << '\n';
  for (const auto& [output, input] : initial_feedthrough)
    text << "initial feedthrough\t" << output << '\t' << input << '\n';
  if (step > 0.0) text << "step\t" << step << '\n';
  if (heartbeat > 0.0) text << "heartbeat\t" << heartbeat << '\n';
  if (silence > 0.0) text << "silence\t" << silence << '\n';
  if (!approximation.empty()) text << "approximation\t" << approximation << '\n';
  for (const auto& [output, words] : output_approximations)
    text << "approximation\t" << words << '\t' << output << '\n';
  for (const auto& [input, words] : input_approximations)
    text << "input approximation\t" << words << '\t' << input << '\n';
  text << "ask";
  for (const double share : asks) text << '\t' << share;
  text << '\n';
  const std::pair<bool, const char*> abilities[] = {{can_save, "save"},
                                                    {repeats_unasked, "repeat"},
                                                    {derivatives, "derivatives"},
                                                    {requests, "request"},
                                                    {begins, "begin"},
                                                    {paces, "pace"},
                                                    {stops_early, "stop early"},
                                                    {jumps, "jump"}};
  for (const auto& [able, word] : abilities) {
    if (able) text << "can\t" << word << '\n';
  }
  return text.str();
}

Ports Ports::from_text(std::string_view text) {
  Ports ports;
  PortsParser parser(ports);
  for (const std::string_view line : split(text, '\n')) parser.line(line);
  return ports;
}

}  // namespace counterpoint::link
