import { GCProfiler, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Controller, Delete, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScopes } from '../../src/kit/security/credential-policy.js';
import { ADMIN } from '../../src/kit/security/scope.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Says how much memory is in use after garbage collection, and how much work takes up. */
@ApiTags('Bench')
@RequireScopes({ anyOf: [ADMIN] })
@Controller('bench/heap')
export class HeapController {
  private profiler = new GCProfiler();
  private usedAtStart = 0;

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

  /** Counts from now on what is allocated. */
  @Post('allocations')
  @HttpCode(200)
  begin(): object {
    this.profiler = new GCProfiler();
    this.profiler.start();
    this.usedAtStart = process.memoryUsage().heapUsed;
    return {};
  }

  /** Answers what has been allocated since then: what is used more now, and all that was freed meanwhile. */
  @Delete('allocations')
  end(): { allocated_bytes: number } {
    let allocated = process.memoryUsage().heapUsed - this.usedAtStart;
    for (const { beforeGC, afterGC } of this.profiler.stop().statistics) {
      allocated += beforeGC.heapStatistics.usedHeapSize - afterGC.heapStatistics.usedHeapSize;
    }
    return { allocated_bytes: allocated };
  }
}
