/** The key of a member in a room, shared with other processes. Public ids of rooms contain no blank. */
export function memberKeyOf(roomId: string, member: string): string {
  return `${roomId} ${member}`;
}

export function partsOfMemberKey(key: string): [roomId: string, member: string] {
  const end = key.indexOf(' ');
  return [key.slice(0, end), key.slice(end + 1)];
}
