/** Line icons, 24 by 24. They say nothing to a screen reader: words stand beside them. */

import { svgTags } from "../core/elements.js";

const PATHS = {
  home: "M4 11 12 4l8 7v8a1 1 0 0 1-1 1h-5v-6h-4v6H5a1 1 0 0 1-1-1Z",
  agents: "M12 3v3M6 6h12a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2V8a2 2 0 0 1 2-2Zm3 5v2m6-2v2m-6 3h6",
  calls: "M5 4h4l2 5-2.5 1.5a11 11 0 0 0 5 5L15 13l5 2v4a1 1 0 0 1-1 1A15 15 0 0 1 4 5a1 1 0 0 1 1-1Z",
  phone: "M8 3h8a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1Zm3 15h2",
  bell: "M6 16V11a6 6 0 0 1 12 0v5l1.5 2h-15Zm4 4.5h4",
  money: "M3 6h18v12H3ZM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM6 9h.5M17.5 15h.5",
  members: "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7Zm-6 9a6 6 0 0 1 12 0M16 4.5a3.5 3.5 0 0 1 0 6.5m2 3a6 6 0 0 1 3 6",
  key: "M14 10a4.5 4.5 0 1 1-4.4-4.5A4.5 4.5 0 0 1 14 10Zm-1 3 7 7m-3-3 2-2",
  provider: "M4 7a8 3 0 1 0 16 0 8 3 0 1 0-16 0Zm0 0v10c0 1.7 3.6 3 8 3s8-1.3 8-3V7M4 12c0 1.7 3.6 3 8 3s8-1.3 8-3",
  webhook: "M12 8.5 8.5 15M12 8.5a3 3 0 1 0-2.6-1.5M8.5 15a3 3 0 1 1-3-1.8M8.5 15h7m0 0a3 3 0 1 0 1.5-2.6M15.5 15 12 8.5",
  audit: "M6 3h9l4 4v14H6ZM9 11h7M9 15h7",
  card: "M4 6h16a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V7a1 1 0 0 1 1-1Zm-1 4h18M7 15h4",
  person: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-7 8a7 7 0 0 1 14 0",
  leave: "M14 4h5v16h-5M4 12h10m-4-4 4 4-4 4",
  menu: "M4 7h16M4 12h16M4 17h16",
  plus: "M12 5v14M5 12h14",
  talk: "M12 3a3 3 0 0 0-3 3v5a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3Zm-6 8a6 6 0 0 0 12 0M12 17v4",
  play: "M7 5v14l11-7Z",
  stop: "M7 7h10v10H7Z",
};

export const icon = (name) =>
  svgTags.svg(
    { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" },
    svgTags.path({ d: PATHS[name] }),
  );
