import { Injectable } from '@nestjs/common';
import type { HasDemoData } from '../../kit/module/tradepost-module.js';
import type { ChatIdentity } from './records/chat-identity.js';
import { MemberDirectory } from './members/member-directory.js';
import { MembersService } from './members/members.service.js';
import { MessagesService } from './messages/messages.service.js';
import { RoomsService } from './rooms/rooms.service.js';

const ROOM_NAME = 'lobby';
const HOST = 'client:demo';
const GUESTS = ['alice', 'bob'];

/** The initial conversation, oldest first. */
const CONVERSATION: readonly (readonly [author: string, text: string])[] = [
  [
    HOST,
    'Welcome to the lobby! Everyone can read this room; join it to say something yourself: POST /chat/rooms/{room_id}/members.',
  ],
  ['alice', 'Does anyone know when RAIN-LISBON settles?'],
  ['bob', 'Once the weather is known: each contract pays 1 USD if it rains, and nothing if it does not.'],
  ['alice', 'And the forecast says sun. I know which side I am on.'],
  [HOST, 'A tip for your own programs: follow GET /chat/rooms/{room_id}/stream, and you miss nothing.'],
];

/** The initial public room. Existing data stays unchanged. */
@Injectable()
export class ChatDemo implements HasDemoData {
  constructor(
    private readonly directory: MemberDirectory,
    private readonly rooms: RoomsService,
    private readonly members: MembersService,
    private readonly messages: MessagesService,
  ) {}

  async seedDemo(): Promise<void> {
    const host = await this.identityOf(HOST);
    const roomId = await this.rooms.ensurePublic(host, ROOM_NAME);
    for (const guest of GUESTS) await this.members.join(await this.identityOf(guest), roomId);
    for (const [place, [author, text]] of CONVERSATION.entries()) {
      const client_message_id = `demo-${place}`;
      await this.messages.store(await this.identityOf(author), roomId, { text, client_message_id });
    }
  }

  private async identityOf(name: string): Promise<ChatIdentity> {
    const identity = await this.directory.find(name);
    if (identity === undefined) throw new Error(`the demo data have nobody called ${name}`);
    return identity;
  }
}
