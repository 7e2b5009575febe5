import { PathParam } from '../../../kit/http/path-param.js';

/** The room that a path names. */
export const RoomId = (): ParameterDecorator => PathParam('room_id', { example: 'rom_00000000001' });
