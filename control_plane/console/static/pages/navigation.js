/** The pages that the frame links to, in their order. */

export const NAVIGATION = [
];
