/** Why something cannot be read as a feed, in words for operators. */
export class FeedProblem extends Error {}
