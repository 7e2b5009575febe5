/** Documents a route by a parameter of its handler, so that what is read and what is documented stand together. */
export function documentingRoute(documentation: MethodDecorator): ParameterDecorator {
  return (target, handler) => {
    if (handler === undefined) return;
    const descriptor = Object.getOwnPropertyDescriptor(target, handler);
    if (descriptor) documentation(target, handler, descriptor);
  };
}

/** Reads a parameter of a handler, and documents it on its route. */
export function documented(read: ParameterDecorator, documentation: MethodDecorator): ParameterDecorator {
  const document = documentingRoute(documentation);
  return (target, handler, index) => {
    read(target, handler, index);
    document(target, handler, index);
  };
}
