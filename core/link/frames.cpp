#include "link/frames.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace counterpoint::link {

static_assert(std::endian::native == std::endian::little,
              "frames are written as numbers lie in memory: the low byte first");

namespace {
constexpr std::size_t header_size = 8;
constexpr std::size_t first_room = 4096;

struct Header {
  std::uint32_t size;
  std::uint32_t kind;
};

constexpr std::pair<Failure::Kind, std::string_view> failure_words[] = {
    {Failure::Kind::solver, "solver"}, {Failure::Kind::component, "component"}, {Failure::Kind::death, "died"}};
}  // namespace

std::string_view word_of(Failure::Kind kind) {
  for (const auto& [known, word] : failure_words) {
    if (kind == known) return word;
  }
  return "model";
}

Failure::Kind failure_kind_of(std::string_view word) {
  for (const auto& [kind, known] : failure_words) {
    if (word == known) return kind;
  }
  return Failure::Kind::model;
}

void Frame::numbers(std::vector<double>& into, std::size_t at_least) const {
  if (bytes.size() % sizeof(double) != 0 || bytes.size() < at_least * sizeof(double)) {
    throw ProtocolFailure("a frame of kind " + std::to_string(static_cast<int>(kind)) + " has " +
                          std::to_string(bytes.size()) + " bytes; expected at least " + std::to_string(at_least) +
                          " numbers of 8 bytes");
  }
  into.resize(bytes.size() / sizeof(double));
  if (!bytes.empty()) std::memcpy(into.data(), bytes.data(), bytes.size());
}

FrameLink::FrameLink(ChannelPointer channel) : channel_(std::move(channel)), in_(first_room) {}

FrameLink& FrameLink::begin(FrameKind kind) {
  const Header header{0, static_cast<std::uint32_t>(kind)};
  out_.resize(header_size);
  std::memcpy(out_.data(), &header, header_size);
  return *this;
}

FrameLink& FrameLink::put(const double* numbers, std::size_t count) {
  const std::size_t before = out_.size();
  out_.resize(before + count * sizeof(double));
  if (count > 0) std::memcpy(out_.data() + before, numbers, count * sizeof(double));
  return *this;
}

FrameLink& FrameLink::put(std::string_view text) {
  out_.insert(out_.end(), text.begin(), text.end());
  return *this;
}

void FrameLink::send(const Deadline& deadline) {
  const std::size_t size = out_.size() - header_size;
  if (size > frame_limit) {
    throw ProtocolFailure("a frame of " + std::to_string(size) + " bytes is too large to send; at most " +
                          std::to_string(frame_limit) + " are allowed");
  }
  const auto count = static_cast<std::uint32_t>(size);
  std::memcpy(out_.data(), &count, sizeof count);
  const std::lock_guard lock(writing_);
  channel_->write(out_.data(), out_.size(), deadline);
}

void FrameLink::send_text(FrameKind kind, std::string_view text, const Deadline& deadline) {
  begin(kind).put(text).send(deadline);
}

void FrameLink::send_beside(FrameKind kind, std::string_view text, const Deadline& deadline) {
  const Header header{static_cast<std::uint32_t>(text.size()), static_cast<std::uint32_t>(kind)};
  std::string bytes(reinterpret_cast<const char*>(&header), header_size);
  bytes += text;
  const std::lock_guard lock(writing_);
  channel_->write(bytes.data(), bytes.size(), deadline);
}

/// Have at least so many bytes in a row from `first_` on.
void FrameLink::fill(std::size_t wanted, const Deadline& deadline) {
  if (in_.size() - first_ < wanted) {
    std::copy(in_.begin() + static_cast<std::ptrdiff_t>(first_), in_.begin() + static_cast<std::ptrdiff_t>(end_),
              in_.begin());
    end_ -= first_;
    first_ = 0;
    if (in_.size() < wanted) in_.resize(wanted);
  }
  while (end_ - first_ < wanted) end_ += channel_->read(in_.data() + end_, in_.size() - end_, deadline);
}

Frame FrameLink::receive(const Deadline& deadline) {
  if (first_ == end_) first_ = end_ = 0;
  fill(header_size, deadline);
  Header header;
  std::memcpy(&header, in_.data() + first_, header_size);
  if (header.size > limit_) {
    throw ProtocolFailure("a frame of " + std::to_string(header.size) + " bytes is announced; at most " +
                          std::to_string(limit_) + " are allowed");
  }
  fill(header_size + header.size, deadline);
  const Frame frame{static_cast<FrameKind>(header.kind), {in_.data() + first_ + header_size, header.size}};
  first_ += header_size + header.size;
  return frame;
}

}  // namespace counterpoint::link
