/** How long a summary may be. */
export type Budget =
  | { readonly kind: 'share'; readonly share: number }
  | { readonly kind: 'seconds'; readonly seconds: number }
  | { readonly kind: 'shots'; readonly shots: number };
