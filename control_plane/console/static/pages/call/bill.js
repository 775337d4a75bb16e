/** What the call cost, and what its models did. */

import { tags } from "../../core/elements.js";
import { clock, money, number, sentence } from "../../core/format.js";

const { dd, div, dl, dt, h2, p, section } = tags;

const CHANNELS = [
  ["stt", "Speech recognition"],
  ["llm", "Language model"],
  ["tts", "Speech synthesis"],
];

const words = (channel) => CHANNELS.find(([name]) => name === channel)?.[1] ?? sentence(channel);

function amounts(usage) {
  const told = [
    usage.audio_ms && `${number(Math.round(usage.audio_ms / 1000))} s of audio`,
    usage.input_tokens && `${number(usage.input_tokens)} tokens in`,
    usage.output_tokens && `${number(usage.output_tokens)} tokens out`,
    usage.characters && `${number(usage.characters)} characters`,
  ];
  return told.filter(Boolean).join(", ") || "nothing";
}

export function billCard(call) {
  const parts = call.provider_cost_breakdown;
  const rows = parts ? CHANNELS.map(([name]) => [dt(words(name)), dd(money(parts[name]))]) : [];
  const used = call.usage.map((usage) =>
    p({ class: "hint" }, `${words(usage.channel)} (${usage.provider} ${usage.model}): ${amounts(usage)}`),
  );
  return section(
    { class: "card" },
    h2("Bill"),
    dl(
      { class: "facts" },
      rows,
      parts && typeof call.total_cost === "number" && [dt("Platform"), dd(money(Math.max(0, call.total_cost - call.provider_cost)))],
      dt("Billed time"),
      dd(clock(call.billable_seconds)),
      dt({ class: "total" }, "Total"),
      dd({ class: "total" }, money(call.total_cost)),
    ),
    used.length > 0 && div(used),
  );
}
