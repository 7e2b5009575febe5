import type { Socket as TcpSocket } from 'node:net';
import type { Socket } from 'socket.io';
import { Adapter, type BroadcastOptions } from 'socket.io-adapter';
import { waitingPackets } from './end-socket.js';
import { tcpSocketOf, writeTogether } from './write-together.js';

/** One of socket.io, with an event in it. */
interface Packet {
  nsp: string;
}

interface PacketOptions {
  readonly preEncoded: true;
  readonly compress: boolean | undefined;
  readonly wsPreEncodedFrame: readonly Buffer[];
}

/** What socket.io keeps for itself of an adapter. */
interface AdapterInternals {
  readonly nsp: { readonly name: string; readonly sockets: ReadonlyMap<string, RoomSocket> };
  readonly encoder: { encode(packet: Packet): readonly (string | Buffer)[] };
}

interface RoomSocket extends Pick<Socket, 'conn'> {
  readonly client: { writeToEngine(encoded: readonly string[], options: PacketOptions): void };
  notifyOutgoingListeners(packet: Packet): void;
}

/** The type of engine.io's packets that carry those of socket.io. */
const MESSAGE = '4';
/** A whole text in one frame, not masked: what a server sends (RFC 6455, 5.2). */
const FINAL_TEXT_FRAME = 0x81;
const LENGTH_OF_16_BITS = 126;
const LENGTH_OF_64_BITS = 127;

/**
 * Broadcasts to a room: one WebSocket frame is made, and written directly to each connection. socket.io encodes once
 * too, but passes every copy through the queues and events of engine.io and ws, which costs more than everything else.
 * Polling and slow clients still use that way.
 */
export class FanOutAdapter extends Adapter {
  override broadcast(packet: Packet, options: BroadcastOptions): void {
    const members = this.onlyRoomOf(options);
    if (members === undefined) super.broadcast(packet, options);
    else this.deliver(members, packet, options);
  }

  /** The members of the single room that a broadcast addresses; undefined for several rooms, or with exceptions. */
  private onlyRoomOf({ rooms, except, flags }: BroadcastOptions): ReadonlySet<string> | undefined {
    if (rooms.size !== 1 || (except?.size ?? 0) > 0 || flags?.volatile === true) return undefined;
    const [room] = rooms;
    return this.rooms.get(room!);
  }

  private deliver(members: ReadonlySet<string>, packet: Packet, broadcast: BroadcastOptions): void {
    const { nsp, encoder } = this as unknown as AdapterInternals;
    packet.nsp = nsp.name;
    const [text, ...attachments] = encoder.encode(packet);
    if (typeof text !== 'string' || attachments.length > 0) {
      super.broadcast(packet, broadcast);
      return;
    }
    const encoded = [text];
    const frame = textFrame(MESSAGE + text);
    const options: PacketOptions = {
      preEncoded: true,
      compress: broadcast.flags?.compress,
      wsPreEncodedFrame: [frame],
    };
    for (const id of members) {
      const socket = nsp.sockets.get(id);
      if (socket === undefined) continue;
      socket.notifyOutgoingListeners(packet);
      const tcpSocket = tcpSocketThatKeepsUp(socket);
      if (tcpSocket === undefined) {
        socket.client.writeToEngine(encoded, options);
      } else {
        writeTogether(tcpSocket);
        tcpSocket.write(frame);
      }
    }
  }
}

/** The socket if a frame may bypass engine.io's queue: nothing is queued that must go first. */
function tcpSocketThatKeepsUp({ conn }: RoomSocket): TcpSocket | undefined {
  if (conn.readyState !== 'open' || waitingPackets(conn).length > 0) return undefined;
  const tcpSocket = tcpSocketOf(conn);
  return tcpSocket?.writable === true && !tcpSocket.writableNeedDrain ? tcpSocket : undefined;
}

function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const headerLength = length < LENGTH_OF_16_BITS ? 2 : length <= 0xffff ? 4 : 10;
  const frame = Buffer.allocUnsafe(headerLength + length);
  frame[0] = FINAL_TEXT_FRAME;
  if (headerLength === 2) frame[1] = length;
  else if (headerLength === 4) {
    frame[1] = LENGTH_OF_16_BITS;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = LENGTH_OF_64_BITS;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, headerLength);
  return frame;
}
