import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ServiceProcess } from '../../src/testing/service-process.js';
import { median } from '../../scripts/support/statistics.js';
import type { BenchContext } from '../support/context.js';
import type { FanOutRequest, FanOutResult } from '../support/fan-out-worker.js';
import { type Figure, rate, ratioFigure } from '../support/figures.js';
import type { RoundOptions } from '../support/rounds.js';

const BARE_SOCKETS = fileURLToPath(new URL('../server/bare-sockets.js', import.meta.url));
const WORKER = fileURLToPath(new URL('../support/fan-out-worker.js', import.meta.url));

const FOLLOWERS = 1_000;
/** One after the other, as in a conversation; and as many as come together where a room is busy. */
const AT_ONCE = [1, 16] as const;
const WARM_UP_ROUNDS = 2;
const RATIO_LEAST = 1.1;

/** One server with all its followers, who stay connected from round to round. */
class Contender {
  private readonly child: ChildProcess = fork(WORKER);

  constructor(
    private readonly url: string,
    private readonly room: Pick<FanOutRequest, 'roomId' | 'followerToken' | 'senderToken'>,
  ) {}

  /** Messages that arrived a second, at all sockets together. */
  async run(atOnce: number, durationMs: number): Promise<number> {
    const { hostname, port } = new URL(this.url);
    const request: FanOutRequest = {
      host: hostname,
      port: Number(port),
      namespace: '/chat',
      followers: FOLLOWERS,
      atOnce,
      durationMs,
      ...this.room,
    };
    this.child.send(request);
    const settled = new AbortController();
    const { signal } = settled;
    const [result] = (await Promise.race([
      once(this.child, 'message', { signal }),
      once(this.child, 'exit', { signal }).then(() => Promise.reject(new Error('The followers went away.'))),
    ]).finally(() => settled.abort())) as [FanOutResult];
    return result.deliveries / result.seconds;
  }

  stop(): void {
    this.child.kill();
  }
}

/** Durable messages of a room to a thousand sockets that follow it, against bare socket.io that keeps nothing. */
export async function benchFanOut({ service, rounds }: BenchContext): Promise<Figure[]> {
  const bareProcess = await ServiceProcess.start({ entry: BARE_SOCKETS });
  const [followerToken, senderToken] = [service.buyers[0]!.token, service.sellers[0]!.token];
  const roomId = await service.createRoom(senderToken);
  const bare = new Contender(bareProcess.url, { roomId: 'rom_00000000001', followerToken, senderToken });
  const chat = new Contender(service.url, { roomId, followerToken, senderToken });
  try {
    const figures: Figure[] = [];
    for (const atOnce of AT_ONCE) figures.push(await compare(chat, bare, atOnce, rounds));
    return figures;
  } finally {
    bare.stop();
    chat.stop();
    await bareProcess.stop();
  }
}

async function compare(
  chat: Contender,
  bare: Contender,
  atOnce: number,
  { rounds, roundMs }: RoundOptions,
): Promise<Figure> {
  const rates: { readonly chat: number; readonly bare: number }[] = [];
  for (let round = 0; round < WARM_UP_ROUNDS + rounds; round++) {
    const measured = { chat: await chat.run(atOnce, roundMs), bare: await bare.run(atOnce, roundMs) };
    if (round >= WARM_UP_ROUNDS) rates.push(measured);
  }
  const each = (name: 'chat' | 'bare'): string => rate(median(rates.map((measured) => measured[name])));
  return ratioFigure(
    `fan-out to 1,000 sockets, ${atOnce} durable message${atOnce === 1 ? '' : 's'} at once / bare socket.io`,
    median(rates.map((measured) => measured.chat / measured.bare)),
    RATIO_LEAST,
    `${each('chat')} / ${each('bare')} deliveries`,
  );
}
