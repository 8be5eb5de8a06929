import { startCluster } from '../../scripts/lib/opensearch.mjs';

type Cluster = Awaited<ReturnType<typeof startCluster>>;

/** The one node that the files of a run share: starting it takes some ten seconds. */
let shared: Promise<Cluster> | undefined;

/** The cluster of one node that all tests share. Call it inside `describe`; tests use indexes of their own names. */
export function clusterOfTests(): () => Cluster {
  let cluster: Cluster;
  before(async () => {
    cluster = await (shared ??= startCluster());
  });
  return () => cluster;
}

// In the root suite, since this file is loaded outside of `describe`: ends the shared cluster after the last test.
after(async () => (await shared)?.stop());
