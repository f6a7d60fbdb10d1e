package com.example;

import io.atoll.World;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Answers requests from outside to the shop of the documentation. */
@RestController
class Till {

    private final Checkout checkout;
    private final World world;

    Till(Checkout checkout, World world) {
        this.checkout = checkout;
        this.world = world;
    }

    /** Returns true if the order was new. */
    @PostMapping("/orders/{id}/{article}/{items}")
    boolean place(@PathVariable long id, @PathVariable long article, @PathVariable int items) {
        return checkout.place(id, new Order(article, items, 1.0));
    }

    @GetMapping("/sold/{article}")
    long sold(@PathVariable long article) {
        return checkout.sold(article);
    }

    @GetMapping("/rank")
    int rank() {
        return world.rank();
    }
}
