/** The choice of a provider's model for one channel: `llm`, `stt` or `tts`. */

import { choiceField } from "../../kit.js";

const AUTOMATIC = "";

const joined = ({ provider, model }) => (provider ? `${provider} ${model ?? ""}`.trim() : AUTOMATIC);

/** Its value is `{ provider, model }`, both `null` if the platform chooses. */
export function modelField(channel, words, models) {
  const choices = models
    .filter(({ type, available }) => available && type.includes(channel))
    .map((each) => [joined({ provider: each.provider, model: each.model_id }), `${each.provider_name}: ${each.label}`]);
  const field = choiceField(channel, words, [[AUTOMATIC, "Automatic"], ...choices]);
  const chosen = field.value;
  return {
    ...field,
    value() {
      const [provider = null, ...model] = chosen() ? chosen().split(" ") : [];
      return { provider, model: model.join(" ") || null };
    },
    set: (value) => field.set(joined(value)),
    read: (agent) => ({ provider: agent[`${channel}_provider`], model: agent[`${channel}_model`] }),
    change: ({ provider, model }) => ({ [`${channel}_provider`]: provider, [`${channel}_model`]: model }),
  };
}
