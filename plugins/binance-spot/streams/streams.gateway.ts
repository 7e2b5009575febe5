import type { IncomingMessage } from 'node:http';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { PlainSockets, type PlainSocket } from '../../../src/index.js';
import { StreamConnection } from './stream-connection.js';
import { StreamHub } from './stream-hub.js';

export const FRAMES_PER_SECOND_MAX = 5;
export const PING_EVERY_MS = 20_000;
const RAW_PATH = '/binance/ws';
const COMBINED_PATH = '/binance/stream';
/** RFC 6455: the request breaks a rule that is no other code's. */
const POLICY_VIOLATION = 1008;

/** The streams of market data: raw ones below `/ws`, combined ones at `/stream?streams=`. */
@Injectable()
export class StreamsGateway implements OnModuleInit {
  constructor(
    private readonly sockets: PlainSockets,
    private readonly hub: StreamHub,
  ) {}

  onModuleInit(): void {
    const limits = { framesPerSecondMax: FRAMES_PER_SECOND_MAX, pingEveryMs: PING_EVERY_MS };
    this.sockets.serve({
      ...limits,
      path: RAW_PATH,
      connect: (socket, request) => this.raw(socket, request),
    });
    this.sockets.serve({
      ...limits,
      path: COMBINED_PATH,
      connect: (socket, request) => this.combined(socket, request),
    });
  }

  private raw(socket: PlainSocket, { url = '' }: IncomingMessage): void {
    const name = decoded(url.split('?', 1)[0]!.slice(RAW_PATH.length + 1));
    // Clients that open several connections number them: these name no stream.
    const names = name === '' || /^\d+$/.test(name) ? [] : [name];
    this.open(socket, names, false);
  }

  private combined(socket: PlainSocket, { url = '' }: IncomingMessage): void {
    const streams = new URLSearchParams(url.split('?', 2)[1] ?? '').get('streams') ?? '';
    this.open(socket, streams.split('/').filter(Boolean), true);
  }

  private open(socket: PlainSocket, names: readonly string[], isCombined: boolean): void {
    const connection = new StreamConnection(socket, this.hub, isCombined);
    try {
      connection.subscribe(names);
    } catch {
      socket.close(POLICY_VIOLATION, 'There is no such stream.');
    }
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
