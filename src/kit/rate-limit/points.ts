/**
 * What requests cost that take more CPU than an order, which costs one point and about 0.75 ms. A budget of 2,000 points
 * a second is more than one core, whatever they are spent on.
 */
export const POINTS = {
  /** Of 100 rows: 6.7 ms. */
  csvPage: 10,
  /** A megabyte where nothing compressed is asked for: 1 ms, and more where many ask at once, which no turns bound. */
  document: 8,
  /** A page of a statement: 5.4 ms. */
  statement: 7,
  /** 2.5 ms. */
  receipt: 3,
  /** In each market of an event group: 3.9 ms for 50 of them, beside their rows in the database. */
  setInMarket: 1 / 2,
  /** 11 ms for 4 megapixels, 66 ms for the 49 that are allowed; few are encoded at once, by turns. */
  image: 20,
} as const;
