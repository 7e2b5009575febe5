/** A client's view of a room, built from the room's log alone. */
import type { Json } from '../../support/caller.js';

interface KnownMember {
  role: string;
  readSequence: number;
}

/** Applies a room's log event by event, as a client does. */
export class RoomPicture {
  readonly members = new Map<string, KnownMember>();
  /** By their ids, in the order of the room. */
  readonly messages = new Map<string, Json>();
  sequence = 0;

  constructor(log: readonly Json[]) {
    for (const event of log) this.apply(event);
  }

  private apply({ type, sequence, data }: Json): void {
    if (sequence !== this.sequence + 1) throw new Error(`${sequence} came after ${this.sequence}`);
    this.sequence = sequence;
    switch (type) {
      case 'member.added':
        this.members.set(data.member, {
          readSequence: sequence,
          ...this.members.get(data.member),
          role: data.role,
        });
        break;
      case 'member.removed':
        this.members.delete(data.member);
        break;
      case 'message.read':
        this.members.get(data.member)!.readSequence = data.read_sequence;
        break;
      case 'message.new':
        this.messages.set(data.message_id, data);
        // A message marks earlier ones as read by its author.
        this.members.get(data.author)!.readSequence = sequence;
        if (data.parent_id !== null) this.messages.get(data.parent_id).reply_count++;
        break;
      case 'message.updated':
      case 'message.deleted':
        this.messages.set(data.message_id, data);
        break;
      case 'reaction.new':
        this.react(data, 1);
        break;
      case 'reaction.deleted':
        this.react(data, -1);
        break;
      default:
        throw new Error(`nobody knows what ${type} means`);
    }
  }

  private react({ message_id, emoji }: Json, delta: number): void {
    const message = this.messages.get(message_id);
    const known = message.reactions.find((reaction: Json) => reaction.emoji === emoji);
    if (known === undefined) message.reactions.push({ emoji, count: delta });
    else known.count += delta;
    message.reactions = message.reactions.filter(({ count }: Json) => count > 0);
  }
}
