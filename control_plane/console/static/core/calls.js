/** The life of a call, as the API names it. */

const OVER = ["completed", "failed", "no_answer", "busy", "canceled"];

export const CALL_STATUSES = ["connecting", "queued", "ringing", "in_progress", ...OVER];

export const isOver = (status) => OVER.includes(status);
