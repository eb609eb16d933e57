#include "client/cli/profiles_command.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/command.h"
#include "client/cli/json_output.h"
#include "client/cli/text_output.h"

namespace posenc::cli {
namespace {

struct ProfilesCommand {
  static void AddTo(CLI::App& app);
  static absl::Status Run(Session& session);
};

void ProfilesCommand::AddTo(CLI::App& app) {
  app.footer(
      "A profile's fields: posenc encoding show --profile NAME --d-model 512");
}

void ListInText(const std::vector<posenc::Profile>& profiles,
                std::ostream& out) {
  TextTable table{{"profile", "checked against", "equals"}, {}};
  for (const posenc::Profile& profile : profiles) {
    const std::string checked =
        profile.checked_version.empty()
            ? "its source or paper"
            : absl::StrCat(profile.library, " ", profile.checked_version);
    table.rows.push_back({profile.name, checked,
                          absl::StrCat(profile.library, " ", profile.symbol)});
  }
  PrintTable(table, out);
}

void ListInJson(const std::vector<posenc::Profile>& profiles,
                std::ostream& out) {
  Json list = Json::array();
  for (const posenc::Profile& profile : profiles) {
    Json one;
    one["name"] = profile.name;
    one["library"] = profile.library;
    one["symbol"] = profile.symbol;
    one["checked_version"] = profile.checked_version;
    one["encoding"] = SpecJson(profile.encoding);
    list.push_back(std::move(one));
  }
  Json answer;
  answer["profiles"] = std::move(list);
  PrintJson(answer, out);
}

absl::Status ProfilesCommand::Run(Session& session) {
  const absl::StatusOr<std::vector<posenc::Profile>> profiles =
      session.Call(&posenc::Client::ListProfiles, posenc::ListProfilesParams());
  if (!profiles.ok()) return profiles.status();
  if (session.json()) {
    ListInJson(*profiles, session.out());
  } else {
    ListInText(*profiles, session.out());
  }
  return absl::OkStatus();
}

}  // namespace

void AddProfilesCommand(CLI::App& encoding, Action* action) {
  AddCommand<ProfilesCommand>(encoding, "ls",
                              "The profiles, and what each was checked against",
                              action);
}

}  // namespace posenc::cli
