import { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { PENDING_MAX, PendingSockets } from './pending-sockets.js';

describe('sockets that have not logged on', () => {
  const pending = new PendingSockets(2);
  afterEach(() => {
    pending.clear();
  });

  const add = (network?: string): Socket => {
    const socket = new Socket();
    pending.add(socket);
    if (network !== undefined) pending.locate(socket, network);
    return socket;
  };
  const openOf = (sockets: readonly Socket[]): Socket[] => sockets.filter((socket) => !socket.destroyed);

  it('make room for the newcomer, the oldest first, of whatever network', () => {
    const sockets = Array.from({ length: PENDING_MAX }, (_, i) => add(`network ${i}`));
    expect(openOf(sockets)).toEqual(sockets);
    const newcomer = add('one more');
    expect(openOf([...sockets, newcomer])).toEqual([...sockets.slice(1), newcomer]);
  });

  it('of one network take no room of others', () => {
    const other = add('other');
    const sockets = [add('flood'), add('flood'), add('flood'), add('flood')];
    expect(openOf([other, ...sockets])).toEqual([other, ...sockets.slice(2)]);
  });

  it('of a proxy that has yet to tell are nobody’s', () => {
    const sockets = [add(), add(), add()];
    expect(openOf(sockets)).toEqual(sockets);
  });

  it('do not count, and are left alone, once they have logged on', () => {
    const session = add('flood');
    pending.remove(session);
    const sockets = [add('flood'), add('flood'), add('flood')];
    expect(openOf([session, ...sockets])).toEqual([session, ...sockets.slice(1)]);
  });
});
