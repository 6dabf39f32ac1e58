/* Functions of batch libraries as calls of XLA on the processor: one handler for all models.
 *
 * Attributes: `function`, its address, and `work`, the bytes that it works with. Its buffers are
 * the call's arguments, then its results; all axes but the last are of states. Where one state's
 * results are not finite all of them are NaN: a call may not fail in the midst of a batch. This file
 * follows pointers.c in one text.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "xla/ffi/api/c_api.h"

enum { MOST = 12, ALIGNMENT = 64 };

static int64_t attribute(const XLA_FFI_CallFrame *frame, const char *name)
{
    for (int64_t i = 0; i < frame->attrs.size; i++) {
        const XLA_FFI_ByteSpan *const own = frame->attrs.names[i];
        if (own->len == strlen(name) && !memcmp(own->ptr, name, own->len)) {
            return *(const int64_t *)((const XLA_FFI_Scalar *)frame->attrs.attrs[i])->value;
        }
    }
    return 0;
}

static int64_t states_of(const XLA_FFI_Buffer *buffer)
{
    int64_t states = 1;
    for (int64_t k = 0; k + 1 < buffer->rank; k++) {
        states *= buffer->dims[k];
    }
    return states;
}

/* All results of a state are NaN where one is not finite, or nothing has been computed. */
static void mark(const XLA_FFI_CallFrame *frame, int64_t state, int wrong)
{
    for (int pass = 0; pass < 1 + wrong; pass++) {
        for (int64_t i = 0; i < frame->rets.size; i++) {
            const XLA_FFI_Buffer *const buffer = frame->rets.rets[i];
            const int64_t size = buffer->dims[buffer->rank - 1];
            double *const row = (double *)buffer->data + state * size;
            for (int64_t k = 0; k < size; k++) {
                row[k] = pass ? NAN : row[k];
                wrong |= !isfinite(row[k]);
            }
        }
    }
}

XLA_FFI_Error *mstmm_xla(XLA_FFI_CallFrame *frame)
{
    if (frame->extension_start && frame->extension_start->type == XLA_FFI_Extension_Metadata) {
        XLA_FFI_Metadata *const of = ((XLA_FFI_Metadata_Extension *)frame->extension_start)->metadata;
        of->api_version.major_version = XLA_FFI_API_MAJOR;
        of->api_version.minor_version = XLA_FFI_API_MINOR;
        of->traits = 0;
        return NULL;
    }
    P p[MOST] = {0};
    int count = 0;
    for (int64_t i = 0; i < frame->args.size && count < MOST; i++) {
        p[count++] = ((XLA_FFI_Buffer *)frame->args.args[i])->data;
    }
    for (int64_t i = 0; i < frame->rets.size && count < MOST; i++) {
        p[count++] = ((XLA_FFI_Buffer *)frame->rets.rets[i])->data;
    }
    const int64_t states = states_of(frame->rets.rets[0]);
    char *const memory = calloc(attribute(frame, "work") + ALIGNMENT, 1);
    int status = 1;
    if (memory && states) {
        void *const function = (void *)(intptr_t)attribute(frame, "function");
        char *const work = memory + (ALIGNMENT - (uintptr_t)memory % ALIGNMENT) % ALIGNMENT;
        status = together(function, count, (long)states, p, work);
    }
    for (int64_t k = 0; status && k < states; k++) {
        mark(frame, k, !memory);
    }
    free(memory);
    return NULL;
}
