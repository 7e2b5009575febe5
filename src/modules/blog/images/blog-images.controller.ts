import { Controller, Get, Param, Res, type StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ApiImageResponse, imageAnswer } from '../../../kit/files/images/image-answer.js';
import { Public } from '../../../kit/security/credential-policy.js';
import { BlogImagesService } from './blog-images.service.js';

/** The images of posts and pages, for everyone: pages of any origin may show them. */
@ApiTags('Blog')
@Public()
@Controller('blog/images')
export class BlogImagesController {
  constructor(private readonly images: BlogImagesService) {}

  /** Get an image of the blog */
  @Get(':image_name')
  @ApiImageResponse()
  async get(
    @Param('image_name') imageName: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    return imageAnswer(response, imageName, await this.images.open(imageName));
  }
}
