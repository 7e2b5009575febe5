/**
 * `npm run bench:cells`: 1 to 64 cells with the real engine, a network that fails and cells that crash. Money is
 * counted after every step, so a run that ends is a run in which none was made, lost or doubled. One thread does the
 * work of all cells: what is measured is CPU, not the speed of a cluster.
 *
 *   --seed N        of all that is drawn (1)
 *   --commands N    orders and cancels of all cells together (256000)
 */
import { parseArgs } from 'node:util';
import { World, type WorldOptions } from './world.js';

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, commands: { type: 'string', default: '256000' } },
});
const seed = Number(values.seed);
const commands = Number(values.commands);

const CELL_COUNTS = [1, 2, 4, 8, 16, 32, 64];
const TRANSFER_SHARES = [0, 0.01, 0.05, 0.2];
const USUAL_SHARE = 0.05;
const BATCH = 64;
/** Of all cells together in a run, about. */
const CRASHES = 64;
/** A replay begins at the first row, so a single cell that has them all cannot crash often. */
const CRASHES_PER_CELL_MAX = 4;

interface Row {
  readonly cells: number;
  readonly transferShare: number;
  readonly commands: number;
  readonly transfers: number;
  readonly perCpuSecond: number;
  /** Of the CPU time, the part that transfers between cells take. */
  readonly transferWork: number;
  /** If each cell had a core: orders and cancels in the time of the busiest. */
  readonly projected: number;
  readonly steps: number;
  readonly crashes: number;
  readonly lost: number;
}

function optionsOf(cells: number, transferShare: number): WorldOptions {
  const turns = commands / BATCH;
  return {
    seed,
    cells,
    commands: Math.floor(commands / cells),
    restingOrders: 500,
    tradersPerCell: 16,
    depositedFirst: 10_000_000,
    transferShare,
    bankShare: 0.02,
    batch: BATCH,
    network: {
      lossShare: 0.05,
      duplicateShare: 0.05,
      delayTicksMax: 8,
      cutChance: 0.002 * cells,
      cutTicks: 20,
    },
    // Two draws a turn.
    crashChance: Math.min(CRASHES, cells * CRASHES_PER_CELL_MAX) / turns / 2,
    downTicksMax: 5,
    retryAfterTicks: 20,
  };
}

function measure(cells: number, transferShare: number): Row {
  const world = new World(optionsOf(cells, transferShare));
  const report = world.run();
  const work = world.cells.map((cell) => cell.work);
  const sum = (read: (one: (typeof work)[number]) => number): number =>
    work.reduce((total, one) => total + read(one), 0);
  const own = sum(({ ownCommands }) => ownCommands);
  const all = own + sum(({ transferCommands }) => transferCommands);
  // A row is sealed for all of its commands; each counts alike.
  const sealShare = sum(({ sealMs }) => sealMs) / all;
  const transferMs = sum(({ transferMs: ms, transferCommands }) => ms + transferCommands * sealShare);
  const ownMs = sum(({ ownMs: ms, ownCommands }) => ms + ownCommands * sealShare);
  const { paid, released } = world.conservation.counts;
  return {
    cells,
    transferShare,
    commands: own,
    transfers: paid + released,
    perCpuSecond: (own * 1_000) / report.cpuMs,
    transferWork: transferMs / (transferMs + ownMs),
    projected: (own * 1_000) / report.busiestCpuMs,
    steps: report.steps,
    crashes: report.crashes,
    lost: world.network.counts.lost,
  };
}

function lineOf(row: Row): string {
  const cells = [
    row.cells,
    `${row.transferShare * 100} %`,
    count(row.commands),
    count(row.transfers),
    count(row.perCpuSecond),
    `${(row.transferWork * 100).toFixed(1)} %`,
    count(row.projected),
    count(row.steps),
    row.crashes,
    count(row.lost),
  ];
  return `| ${cells.join(' | ')} |`;
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

const HEADINGS = [
  'Cells',
  'Transfers asked for',
  'Commands',
  'Transfers ended',
  'Commands a CPU second',
  'Work for transfers',
  'Projected, a core each',
  'Steps checked',
  'Crashes',
  'Messages lost',
];

// Warms up: the first run would be that of cold code.
measure(4, USUAL_SHARE);
console.log(`| ${HEADINGS.join(' | ')} |`);
console.log(`|${'---|'.repeat(HEADINGS.length)}`);
for (const cells of CELL_COUNTS) console.log(lineOf(measure(cells, USUAL_SHARE)));
for (const share of TRANSFER_SHARES) console.log(lineOf(measure(64, share)));
