#pragma once
// Histories as JSON documents, for tools: the same content as the text.

#include "schedules/history/history.h"

#include <nlohmann/json.hpp>

namespace halogen {

nlohmann::ordered_json to_json(const Step&);
nlohmann::ordered_json to_json(const History&);
/// One history as it is; several as a list under `variants`.
nlohmann::ordered_json to_json(const Schedule&);

/// `history_from_json(to_json(h)) == h`. Errors: syntax, naming the step and the member.
Result<Schedule> schedule_from_json(const nlohmann::ordered_json&);
/// Of a document that holds one variant. Errors: also schedule.
Result<History> history_from_json(const nlohmann::ordered_json&);

}  // namespace halogen
