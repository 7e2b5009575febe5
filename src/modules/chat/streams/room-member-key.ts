/** Of a member in a room, as other processes are told of it. Public ids of rooms have no blank in them. */
export function memberKeyOf(roomId: string, member: string): string {
  return `${roomId} ${member}`;
}

export function partsOfMemberKey(key: string): [roomId: string, member: string] {
  const end = key.indexOf(' ');
  return [key.slice(0, end), key.slice(end + 1)];
}
