// From text to the graph of an expression.

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <stdexcept>

#include "diagram/expression.hpp"
#include "diagram/spelling.hpp"
#include "numbers.hpp"

namespace counterpoint::diagram {
namespace {

struct Function {
  const char* name;
  Operation operation;
  int operands;  ///< -1: two or more, taken two by two
};

constexpr Function functions[] = {
    {"sin", Operation::sine, 1},
    {"cos", Operation::cosine, 1},
    {"tan", Operation::tangent, 1},
    {"asin", Operation::arc_sine, 1},
    {"acos", Operation::arc_cosine, 1},
    {"atan", Operation::arc_tangent, 1},
    {"atan2", Operation::arc_tangent_2, 2},
    {"sinh", Operation::hyperbolic_sine, 1},
    {"cosh", Operation::hyperbolic_cosine, 1},
    {"tanh", Operation::hyperbolic_tangent, 1},
    {"exp", Operation::exponential, 1},
    {"log", Operation::logarithm, 1},
    {"log10", Operation::logarithm_10, 1},
    {"sqrt", Operation::square_root, 1},
    {"hypot", Operation::hypotenuse, 2},
    {"pow", Operation::power, 2},
    {"abs", Operation::absolute, 1},
    {"sign", Operation::sign, 1},
    {"floor", Operation::floor, 1},
    {"ceil", Operation::ceiling, 1},
    {"min", Operation::minimum, -1},
    {"max", Operation::maximum, -1},
    {"if", Operation::select, 3},
};

struct Token {
  enum Kind { number, name, symbol, end_of_statement, end } kind;
  std::string text;
  std::size_t position;
  double value = 0.0;
};

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

bool is_word_of_grammar(const std::string& word) {
  return word == "if" || word == "else" || word == "and" || word == "or" || word == "not";
}

}  // namespace

class ExpressionParser {
 public:
  ExpressionParser(const std::string& text, ExpressionNames names, Expression& made)
      : text_(text), names_(std::move(names)), made_(made), graph_(made.graph_) {
    read_tokens();
    made_.elements_.assign(names_.variables.size(), -1);
    made_.plain_.assign(names_.variables.size(), 0);
  }

  void parse() {
    while (peek().kind != Token::end) {
      if (peek().kind == Token::end_of_statement)
        ++next_;
      else
        statement();
    }
    if (made_.results_.empty()) fail(text_.size(), "expected an expression; this one is empty");
    made_.variables_ = names_.variables;
  }

 private:
  [[noreturn]] void fail(std::size_t position, const std::string& what) const {
    const std::size_t begin = position == 0 ? 0 : text_.rfind('\n', position - 1) + 1;
    const std::size_t end = std::min(text_.find('\n', begin), text_.size());
    throw std::invalid_argument(what + "\n    " + text_.substr(begin, end - begin) + "\n    " +
                                std::string(position - begin, ' ') + "^");
  }

  void read_tokens() {
    std::size_t i = 0;
    while (i < text_.size()) {
      const char c = text_[i];
      if (c == ';' || c == '\n')
        tokens_.push_back({Token::end_of_statement, ";", i++});
      else if (std::isspace(static_cast<unsigned char>(c)))
        ++i;
      else if (is_digit(c) || (c == '.' && i + 1 < text_.size() && is_digit(text_[i + 1])))
        i = read_number(i);
      else if (starts_name(c))
        i = read_name(i);
      else
        i = read_symbol(i);
    }
    if (tokens_.size() > 5000) fail(tokens_[5000].position, "too long; use several expressions");
    tokens_.push_back({Token::end, "", text_.size()});
  }

  std::size_t read_number(std::size_t i) {
    std::size_t j = i;
    const auto digits = [&] {
      while (j < text_.size() && is_digit(text_[j])) ++j;
    };
    digits();
    if (j < text_.size() && text_[j] == '.') ++j;
    digits();
    if (j < text_.size() && (text_[j] == 'e' || text_[j] == 'E')) {
      std::size_t k = j + 1;
      if (k < text_.size() && (text_[k] == '+' || text_[k] == '-')) ++k;
      if (k < text_.size() && is_digit(text_[k])) {
        j = k;
        digits();
      }
    }
    if (j < text_.size() && starts_name(text_[j])) fail(j, "a number is followed by a name; write * between them");
    const std::string word = text_.substr(i, j - i);
    tokens_.push_back({Token::number, word, i, number_from(word).value()});
    return j;
  }

  std::size_t read_name(std::size_t i) {
    std::size_t j = i;
    while (j < text_.size() && (starts_name(text_[j]) || is_digit(text_[j]))) ++j;
    tokens_.push_back({Token::name, text_.substr(i, j - i), i});
    return j;
  }

  std::size_t read_symbol(std::size_t i) {
    static const char* const two[] = {"**", "<=", ">=", "==", "!="};
    for (const char* symbol : two) {
      if (text_.compare(i, 2, symbol) != 0) continue;
      tokens_.push_back({Token::symbol, symbol, i});
      return i + 2;
    }
    if (text_[i] == '^') fail(i, "\"^\" is not used here; a power is x**2");
    if (std::string("+-*/%<>=()[],").find(text_[i]) == std::string::npos) {
      fail(i, "\"" + text_.substr(i, 1) + "\" means nothing here");
    }
    tokens_.push_back({Token::symbol, text_.substr(i, 1), i});
    return i + 1;
  }

  const Token& peek() const { return tokens_[next_]; }
  bool at(const char* text) const {
    return (peek().kind == Token::symbol || peek().kind == Token::name) && peek().text == text;
  }
  bool take(const char* text) {
    if (!at(text)) return false;
    ++next_;
    return true;
  }
  void expect(const char* text) {
    if (!take(text)) fail(peek().position, std::string("\"") + text + "\" is missing");
  }

  void statement() {
    const Token& first = peek();
    const bool assigns =
        first.kind == Token::name && tokens_[next_ + 1].text == "=" && tokens_[next_ + 1].kind == Token::symbol;
    if (assigns)
      next_ += 2;
    else if (!made_.results_.empty() && has_unnamed_)
      fail(first.position, "expected a name for each of several values: y1 = ...; y2 = ...");
    if (assigns && is_word_of_grammar(first.text)) fail(first.position, "\"" + first.text + "\" cannot be a name");
    const int node = graph_.factored(value());
    if (peek().kind != Token::end && peek().kind != Token::end_of_statement) {
      fail(peek().position, "\"" + peek().text + "\" is not expected here");
    }
    has_unnamed_ = has_unnamed_ || !assigns;
    if (has_unnamed_ && !made_.results_.empty())
      fail(first.position, "expected a name for each of several values: y1 = ...; y2 = ...");
    const std::string name = assigns ? first.text : "";
    if (assigns) locals_[name] = node;
    const auto same =
        std::find_if(made_.results_.begin(), made_.results_.end(), [&](const auto& r) { return r.name == name; });
    if (same != made_.results_.end())
      same->node = node;
    else
      made_.results_.push_back({name, node});
  }

  /// Counts how deep rules call each other, which is what a text can do harm with.
  struct Level {
    explicit Level(ExpressionParser& p) : parser(p) {
      if (++parser.depth_ > 400)
        parser.fail(parser.peek().position, "nested too deeply; use names for parts: r = ...; y = ...");
    }
    ~Level() { --parser.depth_; }
    ExpressionParser& parser;
  };

  int value() {
    const Level level(*this);
    const int one = either();
    if (!at("if")) return one;
    ++next_;
    const int condition = either();
    expect("else");
    return graph_.make(Operation::select, condition, one, value());
  }

  int either() {
    int left = both();
    while (take("or")) left = graph_.make(Operation::either, left, both());
    return left;
  }

  int both() {
    int left = inverse();
    while (take("and")) left = graph_.make(Operation::both, left, inverse());
    return left;
  }

  int inverse() {
    const Level level(*this);
    return take("not") ? graph_.make(Operation::inverse, inverse()) : comparison();
  }

  int comparison() {
    int left = sum(), all = -1;
    while (true) {
      const std::string symbol = peek().kind == Token::symbol ? peek().text : "";
      const bool compares =
          symbol == "<" || symbol == "<=" || symbol == ">" || symbol == ">=" || symbol == "==" || symbol == "!=";
      if (symbol == "=") fail(peek().position, "\"=\" gives a name to a value; to compare, write ==");
      if (!compares) return all < 0 ? left : all;
      ++next_;
      const int right = sum();
      const int one = symbol == "<"    ? graph_.make(Operation::less, left, right)
                      : symbol == "<=" ? graph_.make(Operation::less_or_equal, left, right)
                      : symbol == ">"  ? graph_.make(Operation::less, right, left)
                      : symbol == ">=" ? graph_.make(Operation::less_or_equal, right, left)
                      : symbol == "==" ? graph_.make(Operation::equal, left, right)
                                       : graph_.make(Operation::not_equal, left, right);
      all = all < 0 ? one : graph_.make(Operation::both, all, one);
      left = right;
    }
  }

  int sum() {
    int left = product();
    while (true) {
      if (take("+"))
        left = graph_.make(Operation::add, left, product());
      else if (take("-"))
        left = graph_.make(Operation::subtract, left, product());
      else
        return left;
    }
  }

  int product() {
    int left = with_sign();
    while (true) {
      if (take("*"))
        left = graph_.make(Operation::multiply, left, with_sign());
      else if (take("/"))
        left = graph_.make(Operation::divide, left, with_sign());
      else if (take("%"))
        left = modulo(left, with_sign());
      else
        return left;
    }
  }

  /// a - b floor(a / b): has the sign of b.
  int modulo(int a, int b) {
    const int whole = graph_.make(Operation::floor, graph_.make(Operation::divide, a, b));
    return graph_.make(Operation::subtract, a, graph_.make(Operation::multiply, b, whole));
  }

  int with_sign() {
    const Level level(*this);
    if (take("-")) return graph_.make(Operation::negate, with_sign());
    return take("+") ? with_sign() : power();
  }

  int power() {
    const int base = atom();
    return take("**") ? graph_.make(Operation::power, base, with_sign()) : base;
  }

  int atom() {
    const Token token = peek();
    if (take("(")) {
      const int inside = value();
      expect(")");
      return inside;
    }
    if (token.kind == Token::number) {
      ++next_;
      return graph_.constant(token.value);
    }
    if (token.kind != Token::name) {
      fail(token.position,
           token.text.empty() ? "the expression ends too early" : "expected a value here, not \"" + token.text + "\"");
    }
    ++next_;
    if (at("(")) return call(token);
    if (is_word_of_grammar(token.text)) fail(token.position, "expected a value here, not \"" + token.text + "\"");
    return named(token);
  }

  std::vector<int> operands() {
    std::vector<int> given;
    expect("(");
    if (take(")")) return given;
    do given.push_back(value());
    while (take(","));
    expect(")");
    return given;
  }

  int call(const Token& name) {
    if (name.text == "after" && names_.has_after) return after(name);
    const std::vector<int> given = operands();
    const int count = static_cast<int>(given.size());
    const auto check = [&](int wanted) {
      if (count != wanted) {
        fail(name.position,
             "\"" + name.text + "\" takes " + std::to_string(wanted) + " values, not " + std::to_string(count));
      }
    };
    if (name.text == "mod") {
      check(2);
      return modulo(given[0], given[1]);
    }
    for (const Function& function : functions) {
      if (name.text != function.name) continue;
      if (function.operands > 0) {
        check(function.operands);
        return graph_.make(function.operation, given[0], count > 1 ? given[1] : -1, count > 2 ? given[2] : -1);
      }
      if (count < 2)
        fail(name.position, "\"" + name.text + "\" takes two or more values, not " + std::to_string(count));
      int made = given[0];
      for (int k = 1; k < count; ++k) made = graph_.make(function.operation, made, given[k]);
      return made;
    }
    std::vector<std::string> known{"mod"};
    for (const Function& function : functions) known.push_back(function.name);
    if (names_.has_after) known.push_back("after");
    fail(name.position, "no function \"" + name.text + "\"" + did_you_mean(name.text, known));
  }

  /// Compared by the same formula that tells when it will be, so that the two agree to the last bit.
  int after(const Token& name) {
    const std::vector<int> given = operands();
    if (given.size() != 1 || !graph_.is_constant(given[0]) || !(graph_[given[0]].value >= 0.0)) {
      fail(name.position, "\"after\" takes one constant, the seconds, not negative");
    }
    made_.delays_.push_back(graph_[given[0]].value);
    const int sum = graph_.make(Operation::add, graph_.variable(since_slot, 0), given[0]);
    const int due = graph_.make(Operation::multiply, sum, graph_.constant(not_late));
    made_.uses_time_ = true;
    return graph_.make(Operation::reached, due, graph_.variable(time_slot, 0));
  }

  /// -1 without index.
  int index_of(const Token& name) {
    if (!take("[")) return -1;
    const Token place = peek();
    if (place.kind != Token::number || place.value != std::floor(place.value) || place.value > 1e6) {
      fail(place.position, "expected an integer, counted from 0: " + name.text + "[0]");
    }
    ++next_;
    expect("]");
    return static_cast<int>(place.value);
  }

  int named(const Token& token) {
    const std::string& name = token.text;
    const int element = index_of(token);
    const auto local = locals_.find(name);
    const auto given = std::find(names_.variables.begin(), names_.variables.end(), name);
    const auto number = names_.constants.find(name);
    if (local == locals_.end() && given != names_.variables.end()) {
      return variable(static_cast<int>(given - names_.variables.begin()), element, token);
    }
    if (local == locals_.end() && number != names_.constants.end())
      return from_constant(number->second, element, token);
    const bool is_constant = name == "pi" || name == "e" || name == "t" || name == "true" || name == "false";
    const bool is_free = local == locals_.end() && (!is_constant || names_.hiding.count(name) > 0);
    if (is_free && names_.grows) {
      names_.variables.push_back(name);
      made_.elements_.push_back(-1);
      made_.plain_.push_back(0);
      return variable(static_cast<int>(names_.variables.size()) - 1, element, token);
    }
    if (is_free) unknown(token);
    if (element >= 0) fail(token.position, "\"" + name + "\" is one number and has no index");
    if (local != locals_.end()) return local->second;
    if (name == "pi") return graph_.constant(std::numbers::pi);
    if (name == "e") return graph_.constant(std::numbers::e);
    if (name != "t") return graph_.constant(name == "true" ? 1.0 : 0.0);
    made_.uses_time_ = true;
    return graph_.variable(time_slot, 0);
  }

  int variable(int slot, int element, const Token& token) {
    if (element < 0) made_.plain_[slot] = 1;
    made_.elements_[slot] = std::max(made_.elements_[slot], element);
    if (made_.plain_[slot] && made_.elements_[slot] >= 0) {
      fail(token.position, "\"" + token.text + "\" is used with and without index");
    }
    return graph_.variable(slot, std::max(element, 0));
  }

  int from_constant(const std::vector<double>& values, int element, const Token& token) {
    made_.used_constants_.insert(token.text);
    if (element < 0 && values.size() != 1) {
      fail(token.position, "\"" + token.text + "\" has " + std::to_string(values.size()) +
                               " numbers; specify one: " + token.text + "[0]");
    }
    if (element >= static_cast<int>(values.size())) {
      fail(token.position, "\"" + token.text + "\" has " + std::to_string(values.size()) + " numbers, counted from 0");
    }
    return graph_.constant(values[std::max(element, 0)]);
  }

  [[noreturn]] void unknown(const Token& token) const {
    std::vector<std::string> known = names_.variables;
    for (const auto& [name, values] : names_.constants) known.push_back(name);
    for (const auto& [name, node] : locals_) known.push_back(name);
    fail(token.position, "no name \"" + token.text + "\"" + did_you_mean(token.text, known));
  }

  const std::string& text_;
  ExpressionNames names_;
  Expression& made_;
  ExpressionGraph& graph_;
  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  int depth_ = 0;
  bool has_unnamed_ = false;
  std::map<std::string, int> locals_;
};

Expression::Expression(const std::string& text, ExpressionNames names) {
  ExpressionParser(text, std::move(names), *this).parse();
}

}  // namespace counterpoint::diagram
