// The vectors and tables of a stand-in for the RP2040's mask ROM, which is not ours to hand on. What must lie where is in the datasheet's
// sections 2.7 and 2.8; nothing of the original is in here.
        .syntax unified
        .cpu cortex-m0plus
        .thumb

        .section .vectors, "a"
        .word   0x20041F00              // the stack begins below the second stage
        .word   start
        .word   stop                    // NMI
        .word   stop                    // hard fault
        .byte   'M', 'u', 1, 3          // the mark, its version, and that of the ROM: 3 is silicon B2
        .hword  functions
        .hword  data
        .hword  find + 1                // a 16-bit relocation does not set the bit for Thumb
        .hword  0

        .macro  function first, second, name
        .byte   \first, \second
        .hword  \name + 1
        .endm

        .section .tables, "a"
        .balign 4
functions:
        function 'P', '3', count_ones
        function 'R', '3', reverse_bits
        function 'L', '3', leading_zeros
        function 'T', '3', trailing_zeros
        function 'M', 'S', set_memory
        function 'S', '4', set_memory
        function 'M', 'C', copy_memory
        function 'C', '4', copy_memory
        function 'I', 'F', nothing      // connect_internal_flash
        function 'E', 'X', flash_begin  // flash_exit_xip
        function 'R', 'E', flash_erase
        function 'R', 'P', flash_program
        function 'F', 'C', flash_end    // flash_flush_cache
        function 'C', 'X', nothing      // flash_enter_cmd_xip
        function 'U', 'B', no_program
        .hword  0
data:   .hword  0                       // no float tables

        .text
        .thumb_func
        .global start
start:  bl      load_second_stage       // its address, or 0
        cmp     r0, #0
        beq     1f
        movs    r1, #0
        mov     lr, r1                  // so the second stage knows that it comes from the ROM
        adds    r0, #1
        bx      r0
1:      b       no_program

        .thumb_func
no_program:                             // the emulator reads: waits for a .uf2
        bkpt    #0x55
        b       no_program
        .thumb_func
stop:   bkpt    #0x54
        b       stop
        .thumb_func
nothing:
        bx      lr

        // r0: a table, r1: a code. Returns its entry's address, or 0.
        .thumb_func
find:   ldrh    r2, [r0]
        cmp     r2, #0
        beq     2f
        cmp     r2, r1
        beq     1f
        adds    r0, #4
        b       find
1:      ldrh    r0, [r0, #2]
        bx      lr
2:      movs    r0, #0
        bx      lr

        // r0: how many turns of three cycles. The emulator jumps over them.
        .thumb_func
        .global spin
spin:   subs    r0, #1
        bne     spin
        bx      lr
