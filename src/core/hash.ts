// A hash function as the host provides it: no engine has the same one, and the portable rooms import none.

/** SHA-256 of a text's UTF-8, as 64 hexadecimal digits. */
export type Sha256 = (text: string) => string;
