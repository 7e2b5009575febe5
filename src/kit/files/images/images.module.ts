import { Module } from '@nestjs/common';
import { ImageEncoder } from './image-encoder.js';

/** One encoder for all groups, so that its use of the machine is bounded in total. */
@Module({ providers: [ImageEncoder], exports: [ImageEncoder] })
export class ImagesModule {}
