/** Numbers and times in the words of the person's own browser. */

const MISSING = "–";

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });
const count = new Intl.NumberFormat();
const time = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** `format`, for values that may be missing. */
const known = (format) => (value, ...rest) => (value === null || value === undefined ? MISSING : format(value, ...rest));

/** US dollars. A call may cost a fraction of a cent, so small amounts keep their digits. */
export const money = known((usd, digits = Math.abs(usd) < 0.1 ? 4 : 2) =>
  usd.toLocaleString(undefined, { style: "currency", currency: "USD", minimumFractionDigits: 2, maximumFractionDigits: digits }),
);

/** US dollars to the last digit that is billed, a millionth. */
export const exactMoney = (usd) => money(usd, 6);

/** Minor units of a currency, such as cents. */
export function minorMoney(minor, currency = "USD") {
  const format = new Intl.NumberFormat(undefined, { style: "currency", currency });
  return format.format(minor / 10 ** format.resolvedOptions().maximumFractionDigits);
}

/** `1:05` for 65 seconds. */
export const clock = known((seconds) => {
  const whole = Math.max(0, Math.round(seconds));
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  const rest = String(whole % 60).padStart(2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
});

export const dateTime = (text) => (text ? moment.format(new Date(text)) : MISSING);

export const timeOfDay = (text) => time.format(new Date(text));

/** `5 min. ago`; a date for what is older than a week. */
export function ago(text, now = Date.now()) {
  if (!text) return MISSING;
  const seconds = (new Date(text).getTime() - now) / 1000;
  if (Math.abs(seconds) > 7 * 86_400) return dateTime(text);
  const [unit, length] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? ["second", 1];
  return relative.format(Math.round(seconds / length), unit);
}

export const number = known((value) => count.format(value));

export const milliseconds = known((ms) => `${number(ms)} ms`);

/** `1.2 MB` for 1,234,567 bytes. */
export const size = known((bytes) => {
  const [unit, length] = bytes < 1e6 ? ["kilobyte", 1e3] : ["megabyte", 1e6];
  return (bytes / length).toLocaleString(undefined, { style: "unit", unit, maximumFractionDigits: 1 });
});

/** `end_call_tool` → `End call tool`: names of the API that have no words of their own here. */
export function sentence(name) {
  if (!name) return MISSING;
  if (name === "topup") return "Top-up";
  const words = name.replaceAll(/[_.]/g, " ");
  return words[0].toUpperCase() + words.slice(1);
}

/** What came of an invitation by mail. */
export const invitedWords = ({ email, invite_sent: isSent }) =>
  isSent ? `A mail is on its way to ${email}` : `${email} is invited, but no mail could be sent. Send it again.`;

const BILLED = {
  stt: "Speech recognition",
  llm: "Language model",
  tts: "Speech synthesis",
  managed_sku: "Managed agent",
};

/** What a price is for. */
export const billed = (component) => BILLED[component] ?? sentence(component);
