// Relations between measures and prescribed values: guided angles and distances, gears, racks, screws.
#include "multibody/constraint.hpp"

#include <algorithm>

namespace counterpoint::multibody {

namespace {

class Relations final : public ConstraintBatch {
 public:
  explicit Relations(const std::vector<RelationRow>& rows) {
    std::size_t longest = 0;
    for (const RelationRow& row : rows) {
      rows_.emplace_back(row);
      for (const MeasurePointer& m : row.measures) longest = std::max(longest, m->columns().size());
    }
    gradient_.resize(longest);
  }

  void append_rows(SparsePattern& jacobian) const override {
    for (const Row& row : rows_) jacobian.append_row(row.columns);
  }

  void evaluate(const Instant& now, double* phi, double* jacobian) const override {
    for (const Row& row : rows_) {
      std::fill_n(jacobian, row.columns.size(), 0.0);
      double sum = row.relation.prescribed ? -row.relation.prescribed->at(now).value : 0.0;
      for (std::size_t k = 0; k < row.relation.measures.size(); ++k) {
        const Measure& measure = *row.relation.measures[k];
        const double raw = measure.gradient(now.q, gradient_.data());
        sum += row.relation.factors[k] * measure.unwrapped(raw, now);
        for (std::size_t c = 0; c < measure.columns().size(); ++c) {
          jacobian[row.places[k][c]] += row.relation.factors[k] * gradient_[c];
        }
      }
      *phi++ = sum;
      jacobian += row.columns.size();
    }
  }

  bool rheonomic() const override {
    return std::any_of(rows_.begin(), rows_.end(), [](const Row& row) { return row.relation.prescribed != nullptr; });
  }

  void velocity_terms(const Instant& now, double* phi_t) const override {
    for (const Row& row : rows_) *phi_t++ = row.relation.prescribed ? -row.relation.prescribed->at(now).rate : 0.0;
  }

  void acceleration_terms(const Instant& now, double* rest) const override {
    for (const Row& row : rows_) {
      double sum = row.relation.prescribed ? -row.relation.prescribed->at(now).acceleration : 0.0;
      for (std::size_t k = 0; k < row.relation.measures.size(); ++k) {
        sum += row.relation.factors[k] * row.relation.measures[k]->curvature(now.q, now.v);
      }
      *rest++ = sum;
    }
  }

 private:
  struct Row {
    explicit Row(const RelationRow& given) : relation(given) {
      for (const MeasurePointer& m : relation.measures) {
        columns.insert(columns.end(), m->columns().begin(), m->columns().end());
      }
      std::sort(columns.begin(), columns.end());
      columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
      for (const MeasurePointer& m : relation.measures) {
        std::vector<int>& found = places.emplace_back();
        for (int column : m->columns()) {
          found.push_back(static_cast<int>(std::lower_bound(columns.begin(), columns.end(), column) - columns.begin()));
        }
      }
    }
    RelationRow relation;
    std::vector<int> columns;
    std::vector<std::vector<int>> places;  ///< of each measure's columns among those of the row
  };
  std::vector<Row> rows_;
  mutable std::vector<double> gradient_;  // scratch
};

}  // namespace

ConstraintBatchPointer make_relations(const std::vector<RelationRow>& rows) {
  return std::make_shared<Relations>(rows);
}

}  // namespace counterpoint::multibody
