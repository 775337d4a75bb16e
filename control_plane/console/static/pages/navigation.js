/** The pages that the frame links to, in their order. */

export const NAVIGATION = [
  { path: "/console", words: "Home", icon: "home" },
  { path: "/console/agents", words: "Agents", icon: "agents" },
  { path: "/console/calls", words: "Calls", icon: "calls" },
];
