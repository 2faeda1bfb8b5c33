#include "daemon/live/calibrator.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace merel {
namespace {

constexpr const char* kOtherBoard =
    "the board has been changed or started anew since the first picture; begin the calibration again";

double rounded(double value) { return std::round(value * 10) / 10; }

std::string_view word(CalibrationFault fault) {
  switch (fault) {
    case CalibrationFault::too_few_scans: return "too_few_scans";
    case CalibrationFault::stuck: return "stuck";
    case CalibrationFault::far_off: return "far_off";
    case CalibrationFault::noisy: return "noisy";
    case CalibrationFault::light: return "light";
    case CalibrationFault::silent: return "silent";
    case CalibrationFault::wrong_pole: return "wrong_pole";
    case CalibrationFault::weak: return "weak";
    case CalibrationFault::too_strong: return "too_strong";
    case CalibrationFault::neighbour: return "neighbour";
  }
  return "";
}

}  // namespace

Calibrator::Calibrator(boost::asio::io_context& loop, LinkSource& source, std::vector<std::string> names,
                       std::size_t lattice)
    : source_(source), names_(std::move(names)), patience_(loop) {
  records_.lattice = lattice;
}

std::string Calibrator::name(std::size_t channel) const {
  return channel < names_.size() && !names_[channel].empty() ? names_[channel] : "channel " + std::to_string(channel);
}

void Calibrator::record(const CalibrationPicture& picture, Told done) {
  const BoardFacts facts = source_.board().facts();
  if (!facts.joined || !facts.hello) {
    return done(facts.trouble.empty() ? std::string("the board has not answered yet; try again in a moment")
                                      : facts.trouble);
  }
  if (nothing_recorded()) {
    board_session_ = facts.hello->session;
  } else if (board_session_ != facts.hello->session) {
    return done(std::string(kOtherBoard));
  }
  done_ = std::move(done);
  patience_.expires_after(kPatience);
  patience_.async_wait([this](const boost::system::error_code& error) {
    if (!error && done_) end(std::string("the board has told no levels for five seconds; is it still connected?"));
  });
  source_.record(kScans, kSkip, [this, picture](const LevelRecord& levels) {
    if (!done_) return;  // too late; finish() may be waiting by now
    keep(picture, levels);
    Json told = state();
    told["findings"] = wrong_in(picture);
    end(told);
  });
}

bool Calibrator::nothing_recorded() const {
  return records_.dark.scans() == 0 && records_.lit.scans() == 0 && records_.pieces.empty();
}

void Calibrator::keep(const CalibrationPicture& picture, const LevelRecord& levels) {
  if (picture.what == CalibrationPicture::What::dark) {
    records_.dark = levels;
  } else if (picture.what == CalibrationPicture::What::lit) {
    records_.lit = levels;
  } else {
    std::erase_if(records_.pieces, [&picture](const PieceRecord& r) {
      return r.kind == picture.kind && r.north_up == picture.north_up && r.channels == picture.channels;
    });
    records_.pieces.push_back({picture.kind, picture.north_up, picture.channels, levels});
  }
}

/// A piece on another cell shows at once; nobody should have to wait for the end to be told.
Json Calibrator::wrong_in(const CalibrationPicture& picture) const {
  using What = CalibrationPicture::What;
  if (records_.dark.scans() == 0) return Json::array();  // nothing to hold it against
  CalibrationRecords records;
  records.lattice = records_.lattice;
  records.dark = records_.dark;
  if (picture.what == What::lit) records.lit = records_.lit;
  if (picture.what == What::pieces) records.pieces = {records_.pieces.back()};
  std::vector<CalibrationFinding> findings = calibrate(records, names_).findings;
  std::erase_if(findings, [&picture](const CalibrationFinding& finding) {
    const bool of_pieces = finding.fault >= CalibrationFault::silent;
    const bool of_lights = finding.fault == CalibrationFault::light;
    return finding.fault == CalibrationFault::too_few_scans || picture.what != (of_pieces   ? What::pieces
                                                                                : of_lights ? What::lit
                                                                                            : What::dark);
  });
  return findings_json(findings);
}

Json Calibrator::findings_json(const std::vector<CalibrationFinding>& findings) const {
  Json out = Json::array();
  for (const CalibrationFinding& finding : findings) {
    const bool of_site = finding.fault != CalibrationFault::too_few_scans;
    out.push_back(
        {{"fault", word(finding.fault)}, {"site", of_site ? name(finding.channel) : ""}, {"what", finding.sentence}});
  }
  return out;
}

void Calibrator::end(const Result<Json, std::string>& result) {
  patience_.cancel();
  std::exchange(done_, nullptr)(result);
}

void Calibrator::forget() {
  const std::size_t lattice = records_.lattice;
  records_ = {};
  records_.lattice = lattice;
}

void Calibrator::finish(Told done) {
  const BoardFacts facts = source_.board().facts();
  if (!facts.joined || !facts.hello) return done(std::string("the board does not answer; nothing has been changed"));
  if (!nothing_recorded() && board_session_ != facts.hello->session) return done(std::string(kOtherBoard));
  records_.revision = facts.hello->revision;
  const CalibrationResult result = calibrate(records_, names_);
  Json margins = Json::array();
  for (const PieceMargin& margin : result.margins) {
    margins.push_back({{"site", name(margin.channel)},
                       {"kind", merel::name(margin.kind)},
                       {"pole", margin.north_up ? "north" : "south"},
                       {"deviation", rounded(margin.deviation)},
                       {"margin", rounded(margin.margin)}});
  }
  Json sites = Json::array();
  for (std::size_t channel = 0; channel < result.sites.size(); ++channel) {
    const SiteFigures& site = result.sites[channel];
    sites.push_back({{"site", name(channel)},
                     {"baseline", rounded(site.baseline)},
                     {"noise", rounded(site.noise)},
                     {"light_shift", rounded(site.light_shift)}});
  }
  Json answer = {{"good", result.good()},
                 {"revision", result.data.revision},
                 {"thresholds",
                  {{"piece", result.data.thresholds.piece},
                   {"strong", result.data.thresholds.strong},
                   {"hysteresis", result.data.thresholds.hysteresis}}},
                 {"findings", findings_json(result.findings)},
                 {"margins", std::move(margins)},
                 {"sites", std::move(sites)}};
  if (!result.good()) return done(answer);
  finishing_ = true;
  source_.board().calibrate(result.data,
                            [this, answer, data = result.data, done = std::move(done)](const std::string& wrong) {
                              finishing_ = false;
                              if (!wrong.empty()) return done(wrong);
                              source_.calibrated(data);
                              forget();
                              done(answer);
                            });
}

Json Calibrator::state() const {
  Json recorded = Json::array();
  const auto add = [&recorded](const LevelRecord& levels, Json picture) {
    if (levels.scans() == 0) return;
    picture["scans"] = levels.scans();
    recorded.push_back(std::move(picture));
  };
  add(records_.dark, {{"picture", "dark"}});
  add(records_.lit, {{"picture", "lit"}});
  for (const PieceRecord& record : records_.pieces) {
    Json cells = Json::array();
    for (const std::size_t channel : record.channels) cells.push_back(name(channel));
    add(record.levels, {{"picture", "pieces"},
                        {"kind", merel::name(record.kind)},
                        {"pole", record.north_up ? "north" : "south"},
                        {"cells", std::move(cells)}});
  }
  Json used;
  if (const auto& data = source_.calibration()) {
    used = {{"revision", data->revision},
            {"thresholds",
             {{"piece", data->thresholds.piece},
              {"strong", data->thresholds.strong},
              {"hysteresis", data->thresholds.hysteresis}}}};
  }
  const BoardFacts facts = source_.board().facts();
  return {{"joined", facts.joined}, {"what", facts.trouble}, {"recorded", std::move(recorded)}, {"used", std::move(used)}};
}

}  // namespace merel
