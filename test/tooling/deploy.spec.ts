import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load, loadAll } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { ensureTools } from '../../scripts/support/tools.js';
import { ALL_SETTINGS } from '../support/all-settings.js';

await ensureTools('test/tools/documents');
const documents = await import('../tools/documents/index.js');
const { ConfigMap, Deployment, NetworkPolicy, PersistentVolumeClaim, PodDisruptionBudget, Secret, Service } =
  documents;

const FOLDER = 'deploy/kubernetes';
const LABEL = 'app.kubernetes.io/name';

/** Kinds that have a schema here; another one must be added before it is used. */
const MODELS = {
  ConfigMap,
  Deployment,
  NetworkPolicy,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  Secret,
  Service,
};

/** Of no type before a schema has looked at it; what is missing fails the expectation that asks for it. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Parsed = any;

interface Manifest {
  readonly apiVersion: string;
  readonly kind: keyof typeof MODELS;
  readonly metadata: { readonly name: string };
}

const manifests: (Manifest & Record<string, Parsed>)[] = [];
for (const file of await readdir(FOLDER))
  manifests.push(...(loadAll(await readFile(join(FOLDER, file), 'utf8')) as Manifest[]));

const find = (kind: Manifest['kind'], name: string): Record<string, Parsed> => {
  const found = manifests.find((one) => one.kind === kind && one.metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
};

describe('the manifests for Kubernetes', () => {
  it.each(manifests.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest] as const))(
    '%s is one by the schema of Kubernetes',
    (_name, manifest) => {
      const Model = MODELS[manifest.kind];
      expect(manifest.apiVersion).toBe(Model.apiVersion);
      expect(() => new Model(manifest as never).validate()).not.toThrow();
    },
  );

  it('are refused by the schema where something is wrong', () => {
    const wrong = structuredClone(find('Deployment', 'tradepost'));
    wrong.spec.replicas = 'three';
    expect(() => new Deployment(wrong as never).validate()).toThrow();
  });

  it('set only what the service reads', () => {
    const names = [find('ConfigMap', 'tradepost').data, find('Secret', 'tradepost').stringData].flatMap(
      Object.keys,
    );
    const known = ALL_SETTINGS.map(({ name }) => name);
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('point to what is there', () => {
    const { template, selector } = find('Deployment', 'tradepost').spec;
    const [container] = template.spec.containers;
    for (const from of container.envFrom)
      find(from.configMapRef ? 'ConfigMap' : 'Secret', (from.configMapRef ?? from.secretRef).name);
    const volumes = template.spec.volumes.map(({ name }: { name: string }) => name);
    const mounted = container.volumeMounts.map(({ name }: { name: string }) => name);
    expect([...new Set(mounted)].toSorted()).toEqual(volumes.toSorted());
    for (const { persistentVolumeClaim: claim, secret } of template.spec.volumes) {
      if (claim) find('PersistentVolumeClaim', claim.claimName);
      if (secret) find('Secret', secret.secretName);
    }
    const app = { [LABEL]: 'tradepost' };
    expect(template.metadata.labels).toEqual(app);
    expect(selector.matchLabels).toEqual(app);
    expect(find('Service', 'tradepost').spec.selector).toEqual(app);
    expect(find('PodDisruptionBudget', 'tradepost').spec.selector.matchLabels).toEqual(app);
  });

  it('stop a process gracefully and never all at once', () => {
    const { template, replicas, strategy } = find('Deployment', 'tradepost').spec;
    const [container] = template.spec.containers;
    expect(container.readinessProbe.httpGet.path).toBe('/health/ready');
    expect(container.livenessProbe.httpGet.path).toBe('/health/live');
    const preStopSeconds = Number(container.lifecycle.preStop.exec.command.at(-1));
    expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(preStopSeconds + 30);
    expect(strategy.rollingUpdate.maxUnavailable).toBe(0);
    expect(find('PodDisruptionBudget', 'tradepost').spec.maxUnavailable).toBeLessThan(replicas);
  });
});

describe('compose.yaml', async () => {
  const compose = load(await readFile('compose.yaml', 'utf8')) as Parsed;
  const services = Object.entries<Parsed>(compose.services);

  it('has three processes of the service that share what they must', () => {
    const processes = services.filter(([, { build }]) => build !== undefined);
    expect(processes).toHaveLength(3);
    const known = ALL_SETTINGS.map(({ name }) => name);
    for (const [, { environment, volumes, stop_grace_period }] of processes) {
      expect(Object.keys(environment).filter((name) => !known.includes(name))).toEqual([]);
      expect(volumes).toEqual(['files:/data']);
      expect(stop_grace_period).toBe('45s');
    }
  });

  it('points to services, volumes and files that there are', () => {
    const names = services.map(([name]) => name);
    for (const [, { depends_on: needed = [], volumes = [] }] of services) {
      for (const name of Array.isArray(needed) ? needed : Object.keys(needed)) expect(names).toContain(name);
      for (const volume of volumes as string[]) {
        const source = volume.split(':')[0]!;
        if (source.startsWith('.')) expect(existsSync(source), source).toBe(true);
        else expect(Object.keys(compose.volumes)).toContain(source);
      }
    }
  });

  it('lets nobody in from elsewhere but through the balancer', () => {
    const open = services.filter(([, { ports }]) => ports !== undefined).map(([name]) => name);
    expect(open).toEqual(['balancer']);
  });
});
