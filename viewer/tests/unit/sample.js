/** The frame and the contacts that crates/tumble-viewer/src/wire.rs has in its tests, written out byte by byte. */

class Bytes {
    constructor() {
        this.parts = [];
    }
    put(Kind, ...values) {
        this.parts.push(new Uint8Array(Kind.from(values).buffer));
        return this;
    }
    done() {
        return concatenate(this.parts);
    }
}

function concatenate(parts) {
    const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
        whole.set(part, at);
        at += part.length;
    }
    return whole.buffer;
}

const letters = (text) => [...text].map((letter) => letter.charCodeAt(0));

export function frameBytes() {
    return new Bytes()
        .put(Uint8Array, ...letters('TVF1'))
        .put(Uint32Array, 2, 1, 2)
        .put(BigUint64Array, 7n)
        .put(Float64Array, 0.25, 10, 20, 30, 0)
        .put(Float64Array, 0, 0, -1, 0, 0, 0, 1)
        .put(Uint32Array, 4, 9)
        .put(Float32Array, 1, 1.5)
        .put(Float32Array, 1, 0, 0, 0, 1, 0)
        .put(Float32Array, 0, 0, 1, -3, 0, 4)
        .put(Float32Array, 2, 2, 2, 0, 0, 0)
        .put(Int16Array, 0, 0, 0, 32767, 32767, 0, 0, 0)
        .put(Uint16Array, 0, 3)
        .done();
}

export function contactsBytes() {
    return new Bytes()
        .put(Uint8Array, ...letters('TVC1'))
        .put(Uint32Array, 2, 0, 1, 1, 0x80000000)
        .put(Float32Array, 1, 2, 3, 1, 2, 3)
        .put(Float32Array, -4, 5, -6, 3, 0, 4)
        .put(Float32Array, 0.5, 0.25)
        .done();
}
