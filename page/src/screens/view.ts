/** A screen: its title, which takes the focus, and what comes below it. */
export type View = readonly [title: HTMLElement, ...rest: HTMLElement[]];
