/** The cluster of `npm run cluster`, for tests. */
export * from '../../scripts/support/pg-cluster.js';
