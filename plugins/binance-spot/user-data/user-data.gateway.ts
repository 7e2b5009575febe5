import { Injectable, type OnModuleInit } from '@nestjs/common';
import { PlainSockets, SignedKeys, Trading, type PlainSocket } from '../../../src/index.js';
import { CallersService } from '../callers.service.js';
import { RequestWeights } from '../request-weights.js';
import { PING_EVERY_MS } from '../streams/streams.gateway.js';
import { SymbolsService } from '../symbols.service.js';
import { UserDataConnection } from './user-data-connection.js';

const PATH = '/binance/ws-api/v3';
const FRAMES_PER_SECOND_MAX = 20;

/** The WebSocket API of the dialect, as far as it tells users of their own accounts. */
@Injectable()
export class UserDataGateway implements OnModuleInit {
  constructor(
    private readonly sockets: PlainSockets,
    private readonly callers: CallersService,
    private readonly keys: SignedKeys,
    private readonly trading: Trading,
    private readonly symbols: SymbolsService,
    private readonly weights: RequestWeights,
  ) {}

  onModuleInit(): void {
    this.sockets.serve({
      path: PATH,
      framesPerSecondMax: FRAMES_PER_SECOND_MAX,
      pingEveryMs: PING_EVERY_MS,
      connect: (socket: PlainSocket) => {
        const { callers, keys, trading, symbols, weights } = this;
        new UserDataConnection(socket, { callers, keys, trading, symbols, weights });
      },
    });
  }
}
