/** Sees which slices of Response B are on the screen, between the bars that stick to its edges. */

export interface Bars {
  readonly top: number;
  readonly bottom: number;
}

export interface Sight {
  /** Begin anew, for another trial or after the window changed. */
  watch(): void;
  /** Take what was seen but not yet reported. */
  flush(): void;
  stop(): void;
}

export function createSight(slices: readonly HTMLElement[], bars: () => Bars, saw: (slice: number) => void): Sight {
  let observer: IntersectionObserver | null = null;
  const take = (sightings: readonly IntersectionObserverEntry[]): void => {
    for (const { isIntersecting, target } of sightings) {
      if (isIntersecting) saw(slices.indexOf(target as HTMLElement));
    }
  };
  const stop = (): void => observer?.disconnect();
  return {
    watch() {
      stop();
      const { top, bottom } = bars();
      observer = new IntersectionObserver(take, { rootMargin: `${-top}px 0px ${-bottom}px 0px` });
      for (const slice of slices) observer.observe(slice);
    },
    flush: () => take(observer?.takeRecords() ?? []),
    stop,
  };
}
