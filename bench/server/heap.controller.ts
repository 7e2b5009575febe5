import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScopes } from '../../src/platform/security/credentials.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Says how much memory is in use after garbage collection. */
@ApiTags('Bench')
@RequireScopes({ anyOf: ['admin'] })
@Controller('bench/heap')
export class HeapController {
  /** Collects garbage, and answers the bytes that are left. */
  @Post()
  @HttpCode(200)
  measure(): { heap_bytes: number; resident_bytes: number } {
    // What finalizers let go is free after the second time.
    collectGarbage();
    collectGarbage();
    const { heapUsed, rss } = process.memoryUsage();
    return { heap_bytes: heapUsed, resident_bytes: rss };
  }
}
