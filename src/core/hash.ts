// The hash function that the host provides, because engines differ and portable code imports none.

/** SHA-256 of a text's UTF-8, as 64 hexadecimal digits. */
export type Sha256 = (text: string) => string;
