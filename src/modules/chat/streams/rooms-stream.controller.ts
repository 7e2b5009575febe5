import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { VALIDATION_FAILED, NOT_FOUND, UNPROCESSABLE } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { ApiError } from '../../../kit/http/errors.js';
import { DescribesChannels } from '../../../kit/realtime/asyncapi/event-catalogue.js';
import type { Connection } from '../../../kit/realtime/connection.js';
import { encodeEvent } from '../../../kit/realtime/encoded-event.js';
import { ApiEventStreamResponse, LastEventId } from '../../../kit/realtime/event-stream-routes.js';
import { EventStreams } from '../../../kit/realtime/event-streams.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { TakesStreamTickets } from '../../../kit/security/stream-tickets.js';
import { ChatCaller } from '../members/chat-caller.js';
import type { ChatIdentity } from '../records/chat-identity.js';
import type { AdmittedRoom } from '../log/room-subscription.js';
import { RoomId } from '../records/room-id.js';
import type { PassingEvent } from '../records/chat-event.js';
import { CHAT_REQUIREMENT, CHAT_STREAM } from './chat-channels.js';
import { RoomStreamQueryDto } from './chat-stream.dto.js';
import { RoomAdmission } from './room-admission.js';
import { RoomPresence } from './room-presence.js';
import { RoomSubscriptions } from './room-subscriptions.js';

const PLAIN_SEQUENCE = /^(0|[1-9]\d{0,14})$/;

/** What happens in a room, as it happens. */
@ApiTags('Chat')
@DescribesChannels(CHAT_STREAM)
@Controller('chat/rooms')
export class RoomsStreamController {
  constructor(
    private readonly admission: RoomAdmission,
    private readonly subscriptions: RoomSubscriptions,
    private readonly presence: RoomPresence,
    private readonly eventStreams: EventStreams,
  ) {}

  /**
   * Follow a room by server-sent events
   * @remarks The events of the room after the sequence that the client has, and then those that happen, each
   * once and in order: `id` is the sequence, `event` the type. Typing and presence have no sequence. It
   * begins with a `presence.changed` that says who is connected. The same events come through the socket.io
   * namespace `/chat`.
   */
  @Get(':room_id/stream')
  @RequireScopes(CHAT_REQUIREMENT)
  @TakesStreamTickets()
  @ApiEventStreamResponse()
  @ApiErrors(
    VALIDATION_FAILED,
    NOT_FOUND.means('no such room that you may read.'),
    UNPROCESSABLE.means('the room has not come to that sequence.'),
  )
  async stream(
    @ChatCaller() reader: ChatIdentity,
    @RoomId() room: string,
    @Query() { offset }: RoomStreamQueryDto,
    @LastEventId('The last sequence that the client has, as an `EventSource` says it when it comes back.')
    lastEventId: string | undefined,
    @Res() response: Response,
  ): Promise<void> {
    // What the client got since it was given the address counts more than what stands in there.
    const cursor = sequenceIn(lastEventId) ?? offset;
    const admitted = await this.admission.admit(reader, room, cursor);
    const stream = this.eventStreams.open(response, CHAT_REQUIREMENT);
    const subscription = this.subscriptions.open(admitted, stream);
    this.greet(admitted, stream);
    this.subscriptions.start(subscription);
  }

  /**
   * Says who is connected, with the client's cursor as its id: so whoever loses the connection before anything
   * happened comes back to the same place.
   */
  private greet({ roomId, cursor }: AdmittedRoom, stream: Connection): void {
    const greeting: PassingEvent<'presence.changed'> = {
      type: 'presence.changed',
      room_id: roomId,
      created_at: new Date().toISOString(),
      data: { ...this.presence.onlineIn(roomId), offline: [] },
    };
    stream.send(encodeEvent(greeting, cursor));
  }
}

function sequenceIn(lastEventId: string | undefined): number | undefined {
  if (lastEventId === undefined || lastEventId === '') return undefined;
  if (PLAIN_SEQUENCE.test(lastEventId)) return Number(lastEventId);
  throw ApiError.validation([
    { field: 'Last-Event-ID', message: 'Last-Event-ID must be a sequence of the room' },
  ]);
}
