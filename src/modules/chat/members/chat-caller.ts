import { Injectable, type PipeTransform } from '@nestjs/common';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import type { ChatIdentity } from '../records/chat-identity.js';
import { MemberDirectory } from './member-directory.js';

@Injectable()
class ChatIdentityPipe implements PipeTransform<Principal, Promise<ChatIdentity>> {
  constructor(private readonly directory: MemberDirectory) {}

  transform(principal: Principal): Promise<ChatIdentity> {
    return this.directory.identityOf(principal);
  }
}

/** Hands a handler the caller as the chat knows it: a `ChatIdentity`. */
export function ChatCaller(): ParameterDecorator {
  return CurrentPrincipal(ChatIdentityPipe);
}
