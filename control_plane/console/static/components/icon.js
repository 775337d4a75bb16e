/** Line icons of the page. They say nothing to a screen reader: words stand beside them. */

import { svgTags } from "../core/elements.js";

export const icon = (name) =>
  svgTags.svg({ viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, svgTags.use({ href: `#icon-${name}` }));
