/** Why a call ended, in words for the person who was in it. */

const WORDS = {
  end_call_tool: "The agent ended the call",
  participant_disconnected: "You ended the call",
  client_disconnected: "The connection was lost",
  normal_hangup: "The call was ended",
  max_call_duration: "The call reached its longest duration",
  silence_timeout: "The call ended because nobody spoke",
  silence_dead_air: "The call ended because nobody spoke",
  insufficient_funds: "The account's credit is used up",
  no_provider_connected: "The agent's speech or language provider could not be reached",
  server_shutdown: "The service was restarted",
  worker_error: "The call broke off because of a fault on the server",
  session_error: "The call broke off because of a fault on the server",
  session_init_failed: "The agent could not start",
  session_start_failed: "The agent could not start",
};

export const endWords = (reason) => WORDS[reason] ?? "The call has ended";
