// {{name}}: what the bot answers when asked. Handlers only read.
#include <platform/platform.h>

using platform::json;

int main() {
    platform::query::handler("/status", [](const platform::query::Request&) -> json {
        const json memory = platform::state::get("bot_state").value_or(json{{"rounds", 0}, {"updated_at", nullptr}});
        return {{"name", "{{name}}"}, {"rounds", memory.at("rounds")}, {"updated_at", memory.at("updated_at")}};
    });
    platform::query::run();
    return 0;
}
