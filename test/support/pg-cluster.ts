/** The cluster of `npm run cluster`, for tests. */
import { PgCluster } from '../../scripts/support/pg-cluster.js';
import { CLUSTER_PREFIX, makeServerFolder } from './server-folder.js';

export * from '../../scripts/support/pg-cluster.js';

export async function startPgCluster(): Promise<PgCluster> {
  return PgCluster.start(await makeServerFolder(CLUSTER_PREFIX));
}
