import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.js';
import { UserCaller } from '../support/clients/users-client.js';

const RULES = 'deploy/prometheus/tradepost.rules.yaml';
const DASHBOARD = 'deploy/grafana/tradepost.json';

/** Those of services with Redis or with standbys, which this test has not. */
const ELSEWHERE = ['core_sync_standbys', 'database_read_standbys', 'redis_up'];

/** Labels that Prometheus and its histograms have by themselves. */
const ALWAYS = ['instance', 'job', 'le'];

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const { groups } = load(await readFile(RULES, 'utf8')) as {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(await readFile(DASHBOARD, 'utf8')) as { readonly panels: readonly Panel[] };
const graphs = dashboard.panels.filter(({ type }) => type !== 'row');

const expressions: [string, string][] = [
  ...rules.map(({ alert, expr }): [string, string] => [`the alert ${alert}`, expr]),
  ...graphs.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }): [string, string] => [`the panel ${title}`, expr]),
  ),
];

/** The texts of all nodes of some names. */
function textsOf(expression: string, ...names: string[]): string[] {
  const texts: string[] = [];
  parser.parse(expression).iterate({
    enter(node) {
      if (names.includes(node.name) || (node.type.isError && names.includes('error')))
        texts.push(expression.slice(node.from, node.to));
    },
  });
  return texts;
}

/** The labels that the service declares for each metric. */
async function declaredLabels(): Promise<ReadonlyMap<string, readonly string[]>> {
  const paths = (await readdir('src', { recursive: true })).filter((path) => /(?<!\.spec)\.ts$/.test(path));
  const sources = await Promise.all(paths.map((path) => readFile(join('src', path), 'utf8')));
  const metrics = sources.flatMap((source) => [
    ...source.matchAll(/\bname: '([a-z_]+)',\s*help:[^}]*?(?:labels: \[([^\]]*)\]|[})])/g),
  ]);
  return new Map(
    metrics.map(([, name = '', labels = '']) => [
      name,
      [...labels.matchAll(/'(\w+)'/g)].map(([, label = '']) => label),
    ]),
  );
}

/** The metrics of chains share one definition, which the source names no metric in. */
function labelsOf(name: string): readonly string[] {
  return labels.get(name) ?? (name.startsWith('chain_') ? ['chain'] : []);
}

let app: TestApp;
let exported: ReadonlySet<string>;
let labels: ReadonlyMap<string, readonly string[]>;

beforeAll(async () => {
  app = await startTestApp();
  const token = await new UserCaller(app.url).tryToken('admin', 'admin-secret');
  const headers = { authorization: `Bearer ${token.body.access_token}` };
  const response = await fetch(`${app.url}/metrics`, { headers });
  const text = await response.text();
  exported = new Set(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
    ),
  );
  labels = await declaredLabels();
});

afterAll(async () => {
  await app?.close();
});

describe.each(expressions)('%s', (_where, expression) => {
  it('is an expression of PromQL', () => {
    expect(textsOf(expression, 'error')).toEqual([]);
  });

  it('asks for metrics that the service exports, by labels that they have', () => {
    const metrics = textsOf(expression, 'VectorSelector').map((text) => /^[\w:]+/.exec(text)![0]);
    expect(metrics.length).toBeGreaterThan(0);
    const own = metrics.filter((name) => name !== 'up').map((name) => name.replace(/^tradepost_/, ''));
    const unknown = own.filter(
      (name) => !exported.has(`tradepost_${name}`) && !exported.has(name) && !ELSEWHERE.includes(name),
    );
    expect(unknown).toEqual([]);
    const possible = own.flatMap((name) => labelsOf(name.replace(/_(bucket|count|sum)$/, '')));
    const asked = textsOf(expression, 'LabelName').map((text) => text.trim());
    expect(asked.filter((label) => !ALWAYS.includes(label) && !possible.includes(label))).toEqual([]);
  });
});

it('knows metrics that only other services export from the source', () => {
  expect(ELSEWHERE.filter((name) => !labels.has(name))).toEqual([]);
});

describe('the alerts', () => {
  it('have names of their own, a severity, and words about what to do', () => {
    const names = rules.map(({ alert }) => alert);
    expect(new Set(names).size).toBe(names.length);
    for (const { alert, labels: given, annotations } of rules) {
      expect(alert).toMatch(/^Tradepost[A-Z]/);
      expect(['page', 'warn']).toContain(given.severity);
      expect(annotations.summary.length, alert).toBeGreaterThan(20);
      expect(annotations.description.length, alert).toBeGreaterThan(20);
    }
  });

  it('name only labels in their words that the answer of their expression can have', () => {
    for (const { annotations, expr } of rules) {
      const named = [...`${annotations.summary}${annotations.description}`.matchAll(/\$labels\.(\w+)/g)];
      const kept = [...expr.matchAll(/\bby \(([\w, ]+)\)/g)].flatMap(([, labels]) => labels!.split(', '));
      expect(
        named.map(([, label]) => label).filter((label) => !['instance', ...kept].includes(label!)),
      ).toEqual([]);
    }
  });
});

describe('the dashboard', () => {
  it('has panels that do not lie over each other, with titles and units', () => {
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)} ${y + Math.floor(i / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    for (const { title, description } of graphs) {
      expect(title).not.toBe('');
      expect(description, title).toMatch(/\.$/);
    }
  });

  it('shows all that the alerts are about', () => {
    const shown = new Set(
      graphs.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => expr.match(/tradepost_\w+/g) ?? [])),
    );
    const watched = new Set(rules.flatMap(({ expr }) => expr.match(/tradepost_\w+/g) ?? []));
    const left = [...watched].filter((name) => !shown.has(name));
    expect(left.toSorted()).toEqual([
      'tradepost_chain_looked_seconds',
      'tradepost_core_clock_drift_seconds',
      // Of plugins, which most services do not have.
      'tradepost_plugin_consumer_failed_attempts',
      'tradepost_plugin_consumer_lag_seconds',
      'tradepost_sanctions_list_stale',
    ]);
  });
});
