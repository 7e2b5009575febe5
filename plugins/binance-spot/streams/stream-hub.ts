import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { SymbolsService, type SymbolMarket } from '../symbols.service.js';
import { parseStream, type StreamKind } from './stream-name.js';
import { StreamSources } from './stream-sources.js';

/** Gets the events of the streams that it has joined. */
export interface StreamReceiver {
  /** `json` is the event as a raw stream has it, encoded once for all. */
  receive(stream: string, json: string): void;
  /** A stream has ended, since something was missed. */
  restart(): void;
}

interface FoundStream {
  readonly kind: StreamKind;
  readonly market: SymbolMarket;
}

interface OpenStream {
  readonly receivers: Set<StreamReceiver>;
  readonly close: () => void;
}

/** Streams that somebody receives, each made once for all its receivers. */
@Injectable()
export class StreamHub implements OnModuleDestroy {
  private readonly streams = new Map<string, OpenStream>();

  constructor(
    private readonly symbols: SymbolsService,
    private readonly sources: StreamSources,
  ) {}

  onModuleDestroy(): void {
    for (const { close } of this.streams.values()) close();
    this.streams.clear();
  }

  /** Whether there is such a stream. */
  has(name: string): boolean {
    return this.streams.has(name) || this.find(name) !== undefined;
  }

  join(name: string, receiver: StreamReceiver): void {
    const stream = this.streams.get(name) ?? this.open(name);
    stream?.receivers.add(receiver);
  }

  leave(name: string, receiver: StreamReceiver): void {
    const stream = this.streams.get(name);
    if (stream?.receivers.delete(receiver) !== true || stream.receivers.size > 0) return;
    stream.close();
    this.streams.delete(name);
  }

  private find(name: string): FoundStream | undefined {
    const parsed = parseStream(name);
    const market = parsed === undefined ? undefined : this.symbols.find(parsed.symbol);
    return parsed === undefined || market === undefined ? undefined : { kind: parsed.kind, market };
  }

  private open(name: string): OpenStream | undefined {
    const found = this.find(name);
    if (found === undefined) return undefined;
    const receivers = new Set<StreamReceiver>();
    const close = this.sources.open(found.market, found.kind, {
      publish: (payload) => {
        const json = JSON.stringify(payload);
        for (const receiver of receivers) receiver.receive(name, json);
      },
      end: () => {
        for (const receiver of [...receivers]) receiver.restart();
      },
    });
    const stream = { receivers, close };
    this.streams.set(name, stream);
    return stream;
  }
}
