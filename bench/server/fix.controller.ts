import { Controller, Get } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ApiTags } from '@nestjs/swagger';
import { FixListener } from '../../plugins/fix/connection/fix-listener.js';
import { RequireScopes } from '../../src/kit/security/credential-policy.js';
import { ADMIN } from '../../src/kit/security/scope.js';

/** Tells where FIX is spoken: on a port of its own, which is any. */
@ApiTags('Bench')
@RequireScopes({ anyOf: [ADMIN] })
@Controller('bench/fix')
export class FixController {
  constructor(private readonly modules: ModuleRef) {}

  @Get()
  port(): { port: number | undefined } {
    // The plugin does not export it.
    return { port: this.modules.get(FixListener, { strict: false }).port };
  }
}
