/**
 * The fields of an agent that have a form, by section. A field's name is its path in the agent;
 * docs/agent-fields.md says what each does on a call.
 */

import {
  checkField, choiceField, jsonField, linesField, listField, longTextField, numberField, textField,
} from "../../kit.js";
import { modelField } from "./model_field.js";
import { voiceField } from "./voice_field.js";

const line = (name, words, hint) => textField(name, words, { hint, mayBeNull: true });
const text = (name, words, hint, rows) => longTextField(name, words, { hint, rows });
const seconds = (name, words, hint) => numberField(name, words, { hint, min: 0 });
const share = (name, words, hint) => numberField(name, words, { hint, mayBeNull: true, min: 0, max: 1 });

const who = () => [
  textField("name", "Name of the agent", { maxlength: 500 }),
  line("persona.name", "Spoken name", "How the agent introduces itself. Empty: the name of the agent."),
  line("persona.role", "Role", "For example: receptionist."),
  line("persona.companyName", "Company"),
  text("persona.companyDescription", "About the company"),
  line("persona.audienceDescription", "Who calls"),
  line("persona.toneOverride", "Tone", "For example: warm and brief."),
  linesField("persona.knowledgeBase", "What it knows", {
    hint: "One fact or web address a line.",
    rows: 4,
  }),
];

const conversation = () => [
  text("playbook.opener", "First sentence"),
  listField(
    "playbook.qualificationFlow",
    "Questions",
    () => [textField("question", "Question"), textField("listensFor", "Listens for", { mayBeNull: true })],
    { add: "Add a question" },
  ),
  listField(
    "playbook.requiredSlots",
    "What it collects",
    () => [
      textField("name", "Name"),
      textField("description", "Description", { required: false }),
      checkField("required", "Must be known before the call ends"),
    ],
    { add: "Add something to collect" },
  ),
  listField(
    "playbook.objectionHandlers",
    "When the caller says …",
    () => [textField("trigger", "The caller says"), longTextField("response", "The agent replies", { mayBeNull: false })],
    { add: "Add a reply" },
  ),
  line("playbook.escalationRule", "When to pass the caller on"),
  line("playbook.closingCTA", "How it closes"),
  line("playbook.fallbackCTA", "How it closes without success"),
  line("playbook.endCallMessage", "Last sentence"),
];

const prompt = () => [
  choiceField(
    "advanced.prompt_mode",
    "What the language model reads",
    [
      ["builder", "Persona and conversation, and the instructions below"],
      ["raw", "Only the instructions below, word for word"],
    ],
  ),
  text("system_prompt", "Instructions", "May hold variables such as {{ customer.name }}.", 8),
  line("advanced.offLimitsTopics", "Topics it does not speak about"),
  line("advanced.prohibitedClaims", "Claims that it never makes", "Separated by commas."),
];

const speech = ({ voices, models, agent, signal }) => [
  voiceField("voice", "Voice", voices, signal),
  textField("language", "Language", { hint: "A language tag such as en-US." }),
  linesField("supported_languages", "All its languages", { hint: "One tag a line.", rows: 2 }),
  ...(agent.agent_kind === "managed"
    ? []
    : [
        modelField("llm", "Language model", models),
        modelField("stt", "Speech recognition", models),
        modelField("tts", "Speech synthesis", models),
      ]),
];

const turns = () => [
  choiceField("advanced.startSpeakingPhrasing", "Who speaks first", [
    ["agent_greets", "The agent"],
    ["wait_for_user", "The caller"],
  ]),
  checkField("persona.voiceConfig.bargeInEnabled", "The caller can interrupt"),
  checkField("advanced.resumeAfterInterruption", "Goes on after a false interruption"),
  checkField("advanced.smartEndpointing", "Hears from the words whether a turn is over"),
  share("advanced.startSpeakingThreshold", "Readiness to speak", "0 to 1. Empty: the standard."),
  share("advanced.stopSpeakingThreshold", "Readiness to stop", "0 to 1. Empty: the standard."),
  seconds("advanced.replyDelay", "Pause before a reply, ms"),
  seconds("advanced.silencePromptDelay", "Asks into silence after, s"),
  seconds("advanced.postSilenceHangup", "Hangs up after more silence of, s"),
  seconds("advanced.maxTurnLength", "Longest turn, s"),
  seconds("advanced.maxCallDuration", "Longest call, s"),
];

const after = () => [
  checkField("features.recording_enabled", "Record calls"),
  checkField("features.transcription_enabled", "Keep transcripts"),
  checkField("features.require_consent", "Ask for consent before recording"),
  checkField("post_call.summary.enabled", "Write a summary"),
  text("post_call.summary.prompt", "What the summary is about"),
  text("post_call.evaluation.rubric", "How the call is judged", "One criterion a line."),
  jsonField("post_call.structured_extraction.json_schema", "What is read from the transcript", {
    hint: "A JSON Schema. Empty: nothing.",
    rows: 5,
  }),
];

const tools = () => [
  jsonField("tools", "Tools", {
    hint: "A JSON array of tool bindings: end_call, call_webhook, handoff, mcp. Masked secrets stay as they are.",
    rows: 6,
  }),
];

/** Each `[title, about, fields, isOpen]`. */
export const SECTIONS = [
  ["Who it is", "Name, role, company, knowledge", who, true],
  ["What it says", "First sentence, questions, replies", conversation, true],
  ["Prompt", "Own instructions, limits", prompt],
  ["Voice and models", "Voice, languages, providers", speech],
  ["Turn-taking", "Interruptions, pauses, limits", turns],
  ["Recording and after the call", "Recording, summary, extraction", after],
  ["Tools", "What it can do besides talking", tools],
];
